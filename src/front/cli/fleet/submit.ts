import type { FleetClient, FleetEvent, NewTask } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, warn } from "../run/print.ts";
import { readText } from "../stdin.ts";
import { listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createAwayWait } from "./away-wait.ts";
import { personAtTerminal } from "./fleet-place.ts";
import { readRepoOption } from "./repo-option.ts";
import { fleetTaskJson, taskExit } from "./task-text.ts";
import { traceTyped } from "./trace-typed.ts";
import { withFleet } from "./with-fleet.ts";

/** `zeph submit`: one task for a fleet. */
export async function submit(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  if (flags.file !== undefined) return (await import("./submit-batch.ts")).submitBatch(given);
  if (flags.retryFailed)
    throw new UsageError("--retry-failed is for a file of tasks: zeph submit --file tasks.jsonl --batch <name> --retry-failed.");
  const task = await readTask(given);
  return withFleet(given, async (fleet, { fleet: { max_queued } }) => {
    const [put] = await traceTyped((traceparent) => {
      const payload = { ...task.payload, ...(traceparent !== undefined && { traceparent }) };
      return fleet.queue.submit([{ ...task, payload }], { maxQueued: max_queued });
    });
    const { id, key, isNew } = put!;
    if (!flags.wait && !flags.follow) {
      terminal.stdout.write(flags.json ? jsonLine({ id, key, is_new: isNew }) : `${id}\n`);
      if (!flags.json && terminal.stderr.isTTY)
        terminal.stderr.write(
          terminal.err.dim(isNew ? `\`zeph fleet task ${id.slice(0, 8)}\` says how it stands.\n` : "It was there already.\n"),
        );
      return EXIT.ok;
    }
    return waitFor(fleet, id, flags, terminal);
  });
}

async function readTask({ words, flags, terminal }: Invocation): Promise<NewTask> {
  const isAwaited = words.length === 1 && words[0] === "-";
  const text = isAwaited ? await readText(terminal.stdin) : words.join(" ");
  if (text.trim() === "") throw new UsageError('Say what to do: zeph submit "Update the changelog"; or - to read it from stdin.');
  const { onUnknown } = flags;
  if (onUnknown !== undefined && onUnknown !== "tell" && onUnknown !== "stop")
    throw new UsageError(`--on-unknown ${onUnknown}: it is tell or stop.`);
  const [limit, more] = (flags.limit as readonly string[] | undefined) ?? [];
  if (more !== undefined || limit?.includes("=")) throw new UsageError("One task has one limit, by its name: --limit anthropic.");
  const named = (name: string) => (typeof flags[name] === "string" ? { [name]: flags[name] } : {});
  return {
    ...named("session"),
    ...named("key"),
    ...named("label"),
    ...named("batch"),
    ...(limit !== undefined && { limit }),
    ...(onUnknown !== undefined && { onUnknown }),
    payload: {
      format: 1,
      text,
      person: personAtTerminal(),
      ...(typeof flags.repo === "string" && { repo: readRepoOption(flags.repo) }),
      ...(typeof flags.model === "string" && { model: flags.model }),
    },
  };
}

/** Ctrl-C ends the waiting; the task goes on. */
async function waitFor(fleet: FleetClient, id: string, flags: Invocation["flags"], terminal: Terminal): Promise<number> {
  const stop = listenForStop();
  const { stdout, stderr, err } = terminal;
  const away = createAwayWait((words) => warn(terminal, words), stop.signal);
  let events = fleet.follow({ task: id }, stop.signal);
  const print = flags.json ? (event: FleetEvent) => void stdout.write(jsonLine(event)) : printEvent(terminal);
  for (;;) {
    const next = await away.ask(() => events.next());
    if (next === null && !stop.signal.aborted) {
      events = fleet.follow({ task: id }, stop.signal);
      continue;
    }
    const { done, value } = next ?? { done: true, value: null };
    if (!done) {
      if (flags.follow) print(value);
      else if (value.type === "question" && !flags.json) print(value);
      continue;
    }
    if (value === null || value.state === "queued" || value.state === "running") {
      stderr.write(err.dim(`The task goes on without you. \`zeph fleet task ${id.slice(0, 8)}\` says how it stands.\n`));
      return EXIT.cancelled;
    }
    const isSaid = flags.follow && !flags.json && value.state === "done";
    if (flags.json) stdout.write(jsonLine(fleetTaskJson(value)));
    else if (!isSaid) (value.state === "done" ? stdout : stderr).write(`${visible(value.result?.text ?? value.cancel ?? value.state)}\n`);
    if (!flags.json && value.result && value.result.unknown > 0)
      warn(terminal, `Of ${value.result.unknown} of its calls nobody knows what came of them.`);
    return taskExit(value);
  }
}

/** The model's words go to stdout, everything else to stderr. */
function printEvent({ stdout, stderr, err }: Terminal): (event: FleetEvent) => void {
  let isOpen = false;
  const close = () => {
    if (isOpen) stdout.write("\n");
    isOpen = false;
  };
  const text = (value: unknown) => visible(typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ");
  return (event) => {
    if (event.type === "text") {
      stdout.write(visible(String(event.text)));
      isOpen = true;
      return;
    }
    close();
    if (event.type === "tool_start") stderr.write(err.dim(`${text(event.tool)} ${text(event.args).slice(0, 200)}\n`));
    if (event.type === "tool_end" && event.ok === false)
      stderr.write(err.red(`${text(event.tool)}: ${text(event.error ?? "failed").slice(0, 300)}\n`));
    if (event.type === "question") stderr.write(err.yellow("It waits for an answer. `zeph fleet approvals` shows the question.\n"));
    if (event.type === "warning") stderr.write(err.yellow(`warning: ${text(event.message)}\n`));
  };
}

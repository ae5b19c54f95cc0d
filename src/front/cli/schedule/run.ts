import type { ZephEvent } from "../../../core/event.ts";
import { eventJson } from "../../../core/event-json.ts";
import type { ScheduledTask } from "../../../core/ports/store.ts";
import { openAgent } from "../../../runtime/agent/agent.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { type Due, runDue, type TaskEnd, watchSchedule } from "../../../runtime/agent/scheduled.ts";
import { taskRun } from "../../../runtime/agent/scheduled-run.ts";
import type { Desk, Zeph } from "../../../runtime/create.ts";
import { untilAborted } from "../../../text/abort.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { EXIT } from "../exit.ts";
import { isForPeople } from "../for-people.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, warn } from "../run/print.ts";
import { printReload, type ReloadEvent } from "../run/reload-text.ts";
import type { GlobalSettings } from "../runtime.ts";
import { listenForReload } from "../signal-reload.ts";
import { listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `zeph schedule run`: works off what comes due, until it is stopped; with --once only what is due now. */
export async function runSchedule({ flags, settings, terminal }: Invocation, { schedule, loaded }: Desk): Promise<number> {
  const { signal } = listenForStop();
  const front = flags.json ? jsonFront(terminal) : textFront(terminal);
  const reload = listenForReload();
  const agent = lateAgent(settings, reload.serve, (event) => {
    if (event.type === "warning" && !loaded.warnings.includes(event.message)) front.warn(event.message);
    if (event.type === "reload") front.reloaded(event);
  });
  const ends: TaskEnd[] = [];
  const due: Due = {
    schedule,
    workspace: process.cwd(),
    now: () => Date.now(),
    ready: async () => void (await agent.open()),
    run: async (task, stop) => taskRun(await agent.open())(task, stop),
    began: front.began,
    ended(task, end) {
      ends.push(end);
      front.ended(task, end);
    },
    warn: front.warn,
  };
  try {
    if (flags.once) await runDue(due, signal);
    else {
      // That there is no model is told now, not after hours of waiting.
      await agent.open();
      front.waiting();
      await untilStopped(due, signal);
    }
  } catch (error) {
    if (!isForPeople(error)) throw error;
    front.failed(error.message);
    return error.name === "ModelError" ? EXIT.model : EXIT.usage;
  } finally {
    await agent.close();
    reload.close();
  }
  if (signal.aborted) return ends.at(-1)?.ok === false ? EXIT.cancelled : EXIT.ok;
  return ends.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

/** An agent without anybody to ask, opened when something is to be done. */
function lateAgent(settings: GlobalSettings, opening: (zeph: Zeph) => void, tell: (event: ZephEvent) => void) {
  let opened: Promise<Agent> | null = null;
  const make = async (): Promise<Agent> => {
    const agent = await openAgent({
      cwd: process.cwd(),
      ...settings,
      watch: true,
      onEvent: tell,
      live: { kind: "schedule", where: "the terminal" },
    });
    for (const message of agent.zeph.warnings) tell({ type: "warning", message });
    opening(agent.zeph);
    return agent;
  };
  return {
    open(): Promise<Agent> {
      opened ??= make();
      return opened;
    },
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}

/** Nothing else keeps this process: the watch itself does not, and a signal does not either. */
async function untilStopped(due: Due, signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => {}, 3_600_000);
  const watch = watchSchedule(due, signal);
  try {
    await whileOpen(watch, () => untilAborted(signal));
  } finally {
    clearInterval(alive);
  }
}

interface Front {
  waiting(): void;
  began(task: ScheduledTask): void;
  ended(task: ScheduledTask, end: TaskEnd): void;
  warn(message: string): void;
  reloaded(event: ReloadEvent): void;
  failed(message: string): void;
}

/** The model's last words on stdout, the rest on stderr. */
function textFront(terminal: Terminal): Front {
  const { stderr, stdout, err } = terminal;
  return {
    waiting: () => void stderr.write(err.dim("Waiting for what is scheduled in this folder. Ctrl-C ends it.\n")),
    began: ({ id, task }) => void stderr.write(`${err.bold(`${id.slice(0, 8)}  ${visible(task).replace(/\s+/g, " ")}`)}\n`),
    ended(_task, { ok, text, conversation }) {
      if (ok) stdout.write(`${visible(text)}\n`);
      if (conversation !== undefined) stderr.write(err.dim(`conversation ${conversation}\n`));
    },
    warn: (message) => warn(terminal, message),
    reloaded: (event) => printReload(event, terminal),
    failed: (message) => void stderr.write(`${visible(message)}\n`),
  };
}

function jsonFront({ stdout }: Terminal): Front {
  const print = (value: object) => void stdout.write(jsonLine(value));
  return {
    waiting: () => {},
    began: ({ id, task, when }) => print({ type: "scheduled_start", id, task, when }),
    ended: ({ id }, { ok, text, conversation }) =>
      print({ type: "scheduled_end", id, ok, text, ...(conversation !== undefined && { conversation }) }),
    warn: (message) => print({ type: "warning", message }),
    reloaded: (event) => print(eventJson(event)),
    failed: (message) => print({ type: "error", message }),
  };
}

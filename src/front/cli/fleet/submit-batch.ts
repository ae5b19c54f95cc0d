import type { BatchCounts, BatchDefaults } from "../../../runtime/fleet/batches.ts";
import type { FleetClient, QueueStatus } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { waitWithin } from "../../../text/wait-within.ts";
import { grouped, groupedPlural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { createAwayWait } from "./away-wait.ts";
import { checkBatchFile, openBatchFile, readBatchTasks } from "./batch-file.ts";
import { type BatchLimit, readBatchLimits } from "./batch-limits.ts";
import { type BatchProgress, createBatchProgress } from "./batch-progress.ts";
import { batchExit, countsText } from "./batch-text.ts";
import { personAtTerminal } from "./fleet-place.ts";
import { readRepoOption } from "./repo-option.ts";
import { traceTyped } from "./trace-typed.ts";
import { withFleet } from "./with-fleet.ts";

const LOOK_MS = 1000;

/** `zeph submit --file`: a file of tasks, one JSON object a line. The same file again adds nothing. */
export async function submitBatch(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  const file = String(flags.file);
  const limits = readBatchLimits((flags.limit as readonly string[] | undefined) ?? []);
  const defaults = readDefaults(given, limits);
  const { feedBatch, readBatchLine: read } = await import("../../../runtime/fleet/batches.ts");
  const { signal } = listenForStop();
  const isFile = file !== "-";
  const total = isFile ? await checkBatchFile(file, { signal, read, defaults }) : null;
  const input = isFile ? openBatchFile(file) : terminal.stdin;
  return withFleet(given, async (fleet, { fleet: { max_queued: maxQueued }, tenant }) => {
    await setLimits(fleet, limits);
    const progress = createBatchProgress(terminal);
    const of = total === null ? "" : ` of ${grouped(total)}`;
    let isFullTold = false;
    let counts: BatchCounts = { given: 0, fresh: 0, again: 0 };
    try {
      counts = await traceTyped((traceparent) => {
        const asker = { person: personAtTerminal(), ...(traceparent !== undefined && { traceparent }) };
        return feedBatch(fleet.queue, {
          tasks: readBatchTasks(input, { name: isFile ? file : "stdin", signal, read, defaults: { ...defaults, asker } }),
          maxQueued,
          ...(flags.retryFailed === true ? { failed: "again" as const } : {}),
          signal,
          onProgress: (now) => {
            counts = now;
            isFullTold = false;
            progress.show(`${grouped(now.given)}${of} lines, ${grouped(now.fresh)} new`);
          },
          onFull: () => {
            if (!isFullTold)
              progress.say(
                `${grouped(maxQueued)} tasks of ${visible(tenant)} wait already (fleet.max_queued). Waiting until some of them are taken.`,
              );
            isFullTold = true;
          },
        });
      });
    } catch (error) {
      progress.end();
      if (error instanceof UsageError)
        throw new UsageError(`${error.message}\n${groupedPlural(counts.given, "line")} before it: submitted.`);
      throw error;
    }
    progress.end();
    const isStopped = signal.aborted;
    tell(given, defaults.batch, counts, isStopped);
    if (isStopped) return EXIT.cancelled;
    return flags.wait ? waitForBatch(fleet, given, defaults.batch, progress, signal) : EXIT.ok;
  });
}

function readDefaults({ words, flags }: Invocation, limits: readonly BatchLimit[]): BatchDefaults {
  const text = (name: string) => (typeof flags[name] === "string" ? (flags[name] as string) : undefined);
  const batch = text("batch");
  if (batch === undefined || !/^\S.{0,199}$/u.test(batch))
    throw new UsageError("A file of tasks is a batch: zeph submit --file tasks.jsonl --batch <name>.");
  if (words.length > 0) throw new UsageError("--file holds the tasks; nothing else is said on the command line.");
  for (const name of ["session", "key", "follow"])
    if (flags[name] !== undefined)
      throw new UsageError(
        `--${name} is for one task. A line of the file says its own: {"text": "…", "${name === "follow" ? "key" : name}": "…"}.`,
      );
  const [repo, model, label, onUnknown] = ["repo", "model", "label", "onUnknown"].map(text);
  return {
    batch,
    limits: limits.map(({ key }) => key),
    readRepo: readRepoField,
    ...(repo !== undefined && { repo: readRepoOption(repo) }),
    ...(model !== undefined && { model }),
    ...(label !== undefined && { label }),
    ...(onUnknown !== undefined && { onUnknown: onUnknown as "tell" | "stop" }),
  };
}

/** The same words as for the option, without its dashes. */
function readRepoField(text: string): ReturnType<typeof readRepoOption> {
  try {
    return readRepoOption(text);
  } catch (error) {
    throw new Error((error as Error).message.replace(/^--repo(?: .*?)?(?=: )/, '"repo"'));
  }
}

async function setLimits({ queue, buckets }: FleetClient, limits: readonly BatchLimit[]): Promise<void> {
  for (const { key, running, perMinute } of limits) {
    if (running !== undefined) await queue.setLimit(key, running);
    if (perMinute !== undefined) await buckets.set(key, perMinute);
  }
}

function tell(
  { flags, terminal: { stdout, stderr, err } }: Invocation,
  batch: string,
  { given, fresh, again }: BatchCounts,
  isStopped: boolean,
): void {
  if (flags.json) {
    const more = { ...(flags.retryFailed === true ? { again } : {}), ...(isStopped && { stopped: true }) };
    stdout.write(jsonLine({ batch, lines: given, new: fresh, known: given - fresh, ...more }));
  } else {
    const known = given === fresh ? "" : `, ${grouped(given - fresh)} were there already`;
    const tried = again === 0 ? "" : `, ${grouped(again)} of them tried again`;
    stdout.write(`${groupedPlural(given, "line")}: ${grouped(fresh)} new${known}${tried}.\n`);
    const next = isStopped
      ? "Stopped. The same command goes on with the rest."
      : `\`zeph fleet results ${visible(batch)}\` says what came of them.`;
    if (stderr.isTTY || isStopped) stderr.write(err.dim(`${next}\n`));
  }
}

/** Ctrl-C ends the waiting; the tasks go on. */
async function waitForBatch(
  { queue }: FleetClient,
  given: Invocation,
  batch: string,
  progress: BatchProgress,
  signal: AbortSignal,
): Promise<number> {
  const away = createAwayWait(progress.say, signal);
  let counts: QueueStatus["counts"] | null = null;
  for (;;) {
    const now = await away.ask(() => queue.status({ batch }));
    if (now === null && !signal.aborted) continue;
    counts = now?.counts ?? counts;
    if (counts === null) return EXIT.cancelled;
    const isOver = counts.queued + counts.running === 0;
    if (isOver || signal.aborted) {
      progress.end();
      const { stdout } = given.terminal;
      stdout.write(given.flags.json ? jsonLine({ batch, tasks: counts }) : `${countsText(counts)}\n`);
      return isOver ? batchExit(counts, 0) : EXIT.cancelled;
    }
    progress.show(countsText(counts));
    await waitWithin(new Promise(() => {}), LOOK_MS, undefined, signal);
  }
}

import type { Bus } from "../core/ports/fleet/session.ts";
import { waitAtMost } from "../text/wait-within.ts";
import { SUBJECTS } from "./bus/subjects.ts";
import { createHands, createHeldTask, type HeldTask } from "./held-task.ts";
import type { Moment } from "./lease.ts";
import type { TaskOutcome, WorkerEvent, WorkerOptions } from "./run-worker.ts";
import type { TakenTask, WorkerQueue } from "./worker-queue.ts";

export interface TaskRunnerOptions {
  readonly queue: WorkerQueue;
  readonly bus: Bus | undefined;
  readonly name: string;
  readonly leaseMs: number;
  readonly runTask: WorkerOptions["runTask"];
  readonly isDraining: () => boolean;
  /** There is room for another one. */
  readonly onFree: () => void;
  readonly tell: (event: WorkerEvent) => void;
  readonly warn: (words: string) => void;
}

/** What a worker works on at the moment. */
export interface TaskRunner {
  size(): number;
  tasks(): readonly TakenTask[];
  /** Those whose leases are to be renewed. */
  held(): readonly HeldTask[];
  /** `asked` is when the task was asked for. */
  work(task: TakenTask, asked: Moment): void;
  /** Waits until everything ended. What did not after `ms` is aborted, and what then does not end either is given back over its head. */
  clear(ms: number): Promise<void>;
}

/** How long an aborted task may take to end. */
const GRACE_MS = 5000;

export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { queue, bus, leaseMs, isDraining, onFree, tell, warn } = options;
  const holding = new Map<HeldTask, Promise<void>>();
  const run = async (held: HeldTask): Promise<void> => {
    const { task, signal } = held;
    let outcome: TaskOutcome;
    try {
      const journal = await queue.journal(task);
      outcome = await options.runTask(task, createHands({ queue, held, journal, isDraining, tell }));
    } catch (error) {
      outcome = outcomeOf(error, signal);
    }
    if (held.isEnding) return;
    held.isEnding = true;
    if (signal.reason === "lost") tell({ type: "ended", task, end: "lost" });
    else await settle(task, outcome);
  };
  const settle = async (task: TakenTask, outcome: TaskOutcome): Promise<void> => {
    const state = await record(task, outcome);
    if (state === "lost") {
      tell({ type: "fenced", task, what: "finish" });
      tell({ type: "ended", task, end: "refused" });
      return;
    }
    tell({ type: "ended", task, end: outcome.end });
    if (state === "queued") bus?.tell(SUBJECTS.wake(task.label ?? ""));
    else bus?.tell(SUBJECTS.out(task.tenant, task.session), { type: "end", task: task.id, state });
  };
  const record = async (task: TakenTask, outcome: TaskOutcome) => {
    if (outcome.end === "giveBack") return queue.giveBack(task, { afterMs: outcome.afterMs ?? 0 });
    if (outcome.end === "retry") return queue.giveBack(task, { afterMs: outcome.afterMs, counts: true, why: outcome.why });
    const result = { unknown: 0, worker: options.name, ...outcome.result };
    return (await queue.finish(task, outcome.end, result, { stays: outcome.stays ?? false })) ? outcome.end : "lost";
  };
  return {
    size: () => holding.size,
    tasks: () => [...holding.keys()].map(({ task }) => task),
    held: () => [...holding.keys()].filter(({ signal, isEnding }) => !isEnding && signal.reason !== "lost"),
    work(task, asked) {
      const held = createHeldTask(task, leaseMs, asked);
      tell({ type: "taken", task });
      const running = run(held)
        .catch((error) => warn(`The end of task ${task.id} could not be recorded: ${(error as Error).message}`))
        .finally(() => {
          holding.delete(held);
          onFree();
        });
      holding.set(held, running);
    },
    async clear(ms) {
      const ended = () => Promise.all(holding.values());
      await waitAtMost(ended(), ms);
      for (const held of holding.keys()) held.stop("draining");
      await waitAtMost(ended(), GRACE_MS);
      const left = [...holding.keys()].filter(({ isEnding, signal }) => !isEnding && signal.reason !== "lost");
      for (const held of left) held.isEnding = true;
      await waitAtMost(Promise.all(left.map(({ task }) => settle(task, { end: "giveBack" }))), GRACE_MS);
    },
  };
}

/** What an error means depends on why the task was told to stop. */
function outcomeOf(error: unknown, { aborted, reason }: AbortSignal): TaskOutcome {
  if (aborted && reason === "draining") return { end: "giveBack" };
  const text = error instanceof Error ? error.message : String(error);
  if (aborted) return { end: "cancelled", result: { ok: false, text: "It was cancelled." } };
  return { end: "failed", result: { ok: false, text } };
}

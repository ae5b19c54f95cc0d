import type { Bus, CallLedger, SessionFence } from "../core/ports/fleet/session.ts";
import { waitAtMost } from "../text/wait-within.ts";
import { SUBJECTS } from "./bus/subjects.ts";
import { waitForFirstAnswer } from "./first-answer.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { readClock } from "./lease.ts";
import type { TaskResult } from "./task.ts";
import { createTaskRunner } from "./task-runner.ts";
import { createTroubleReport } from "./trouble-report.ts";
import { createWaker } from "./waker.ts";
import type { BeatAnswer, CallRecord, TakenTask, WorkerQueue } from "./worker-queue.ts";

export interface WorkerOptions {
  readonly queue: WorkerQueue;
  /** Hints; without one the worker looks every `pollMs`. */
  readonly bus?: Bus | undefined;
  readonly name: string;
  readonly version: string;
  /** A function where it changes: it is asked before each take. */
  readonly slots: number | (() => number);
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly labels?: readonly string[];
  /** Takes tasks of this tenant alone. */
  readonly tenant?: string | null;
  readonly formats?: readonly number[];
  /** When it is aborted the worker drains: takes nothing, gives back at the next step, and ends. */
  readonly signal: AbortSignal;
  /** How long a drain waits for tasks that do not come to a step. Then they are aborted and given back; calls without an outcome are unknown. */
  readonly drainMs?: number;
  readonly runTask: (task: TakenTask, hands: TaskHands) => Promise<TaskOutcome>;
  /** False: takes nothing new for now. Asked before each take. */
  readonly mayTake?: () => boolean;
  readonly onBeat?: (answer: BeatAnswer) => void;
  /** The database knows it, and it begins to take tasks. */
  readonly ready?: () => void;
  /** What happens, for logs, metrics and tests. */
  readonly tell?: (event: WorkerEvent) => void;
  readonly warn: (words: string) => void;
}

/** What a task is worked on with. */
export interface TaskHands {
  readonly fence: SessionFence;
  readonly ledger: CallLedger;
  /** For the last moment before an effect: by the worker's own clock, without a question to the server. Waits while nobody knows; false means that nothing may be done. */
  isOurs(): Promise<boolean>;
  /** Aborted with a `TaskStop`. After `lost` nothing may be written or done. */
  readonly signal: AbortSignal;
  /** At the next step the task is to end with `giveBack`. */
  isDraining(): boolean;
  /** What was known of the task's calls when it was taken. */
  readonly journal: ReadonlyMap<string, CallRecord>;
}

export type TaskStop = "cancelled" | "lost" | "draining";

export type TaskOutcome =
  | {
      readonly end: "done" | "failed" | "cancelled";
      readonly result: Omit<TaskResult, "unknown" | "worker"> & Partial<TaskResult>;
      /** The session's folder lies here: others see its next task 2 s later. */
      readonly stays?: boolean;
    }
  /** As if it had not been begun, but for the calls of its journal. */
  | { readonly end: "giveBack"; readonly afterMs?: number }
  /** It went wrong and is tried again, as often as it may be. */
  | { readonly end: "retry"; readonly afterMs: number; readonly why: string };

export type WorkerEvent =
  | { readonly type: "taken"; readonly task: TakenTask }
  /** `refused`: the session was no longer ours, and nothing was recorded. */
  | { readonly type: "ended"; readonly task: TakenTask; readonly end: TaskOutcome["end"] | "lost" | "refused" }
  | { readonly type: "reaped"; readonly tasks: number; readonly unknown: number }
  /** Held back by its own clock: no beat was answered for 0.8 of a lease. */
  | { readonly type: "paused"; readonly task: TakenTask }
  /** A write came too late and was refused. */
  | { readonly type: "fenced"; readonly task: TakenTask; readonly what: "intent" | "done" | "finish" }
  | { readonly type: "beat"; readonly ms: number }
  | { readonly type: "take"; readonly ms: number; readonly tasks: number };

/** How long a drain waits for tasks in the middle of a call. */
const DRAIN_MS = 20_000;
const GRACE_MS = 5000;
const FORMATS = [1];

/** Works until `signal` is aborted, or somebody drains it, and everything is ended or given back. Waits for a server that is away, without an end. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { queue, bus, name, version, slots, leaseMs, pollMs, labels = [], tenant = null, formats = FORMATS, signal, warn } = options;
  const { mayTake = () => true, tell = () => {}, drainMs = DRAIN_MS } = options;
  const draining = new AbortController();
  const waker = createWaker();
  const room = typeof slots === "number" ? () => slots : slots;
  const register = () => queue.register({ name, version, slots: room(), labels, tenant, formats, leaseMs });
  const drain = () => {
    draining.abort();
    waker.wake();
  };
  signal.addEventListener("abort", drain, { once: true });
  if (signal.aborted) drain();
  if (
    (await waitForFirstAnswer(
      register().then(() => true),
      draining.signal,
      warn,
    )) === null
  )
    return;
  options.ready?.();
  const runner = createTaskRunner({
    queue,
    bus,
    name,
    leaseMs,
    isDraining: () => draining.signal.aborted,
    tell,
    warn,
    runTask: options.runTask,
    onFree: waker.wake,
  });
  const heartbeat = createHeartbeat({
    queue,
    runner,
    leaseMs,
    register,
    drain,
    warn,
    tell,
    onBeat: options.onBeat ?? (() => {}),
    onReaped: (label) => {
      bus?.tell(SUBJECTS.wake(label ?? ""));
      waker.wake();
    },
  });
  const deaf = bus ? listen(bus, name, labels, waker.wake, heartbeat.beatNow) : () => {};
  const explain = createTroubleReport(warn);
  while (!draining.signal.aborted) {
    const free = room() - runner.size();
    let taken: readonly TakenTask[] = [];
    if (free > 0 && mayTake()) {
      const asked = readClock();
      try {
        taken = await queue.take(free, runner.tasks());
        tell({ type: "take", ms: readClock().mono - asked.mono, tasks: taken.length });
        explain.isWell();
      } catch (error) {
        explain.fails("The queue cannot be asked for tasks", error);
      }
      for (const task of taken) runner.work(task, asked);
    }
    if (taken.length === 0 || runner.size() >= room()) await waker.nap(pollMs * (0.9 + Math.random() * 0.2));
  }
  deaf();
  // Nobody waits here for a server that is away: whoever ends this process does not either.
  await Promise.all([waitAtMost(queue.setState("draining"), GRACE_MS), waitAtMost(runner.clear(drainMs), drainMs + 2 * GRACE_MS)]);
  await waitAtMost(heartbeat.end(), GRACE_MS);
  await waitAtMost(queue.setState("gone"), GRACE_MS);
}

/** The row is the truth: a hint only makes the worker look at once. */
function listen(bus: Bus, name: string, labels: readonly string[], wake: () => void, look: () => void): () => void {
  const all = [...["", ...labels].map((label) => bus.hear(SUBJECTS.wake(label), wake)), bus.hear(SUBJECTS.control(name), look)];
  return () => {
    for (const one of all)
      void one.then(
        (end) => end(),
        () => {},
      );
  };
}

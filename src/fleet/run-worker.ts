import type { Bus, CallLedger, SessionFence } from "../core/ports/fleet.ts";
import type { TaskResult } from "./task.ts";
import type { BeatAnswer, CallRecord, TakenTask, WorkerQueue } from "./worker-queue.ts";

export interface WorkerOptions {
  readonly queue: WorkerQueue;
  /** Hints; without one the worker looks every `pollMs`. */
  readonly bus?: Bus | undefined;
  readonly name: string;
  readonly version: string;
  readonly slots: number;
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
  /** What happens, for logs, metrics and tests. */
  readonly tell?: (event: WorkerEvent) => void;
  readonly warn: (words: string) => void;
}

/** What a task is worked on with. */
export interface TaskHands {
  readonly fence: SessionFence;
  readonly ledger: CallLedger;
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

/** Works until `signal` is aborted and everything is ended or given back. Waits for a server that is away, without an end. */
export async function runWorker(_options: WorkerOptions): Promise<void> {
  throw new Error("The worker is not there yet.");
}

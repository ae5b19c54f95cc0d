import type { Effect } from "../core/tool.ts";
import { createLease, type Lease, type Moment } from "./lease.ts";
import type { TaskHands, TaskStop, WorkerEvent } from "./run-worker.ts";
import type { CallRecord, TakenTask, WorkerQueue } from "./worker-queue.ts";

/** A task that this worker has taken. */
export interface HeldTask {
  readonly task: TakenTask;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  stop(why: TaskStop): void;
  /** It is being given out of hand: what a beat says of it no longer matters. */
  isEnding: boolean;
}

/** The lease counts from when the task was asked for, not from when the answer came. */
export function createHeldTask(task: TakenTask, leaseMs: number, asked: Moment): HeldTask {
  const controller = new AbortController();
  return {
    task,
    lease: createLease(leaseMs, asked),
    signal: controller.signal,
    stop: (why) => controller.abort(why),
    isEnding: false,
  };
}

export interface HandsOptions {
  readonly queue: WorkerQueue;
  readonly held: HeldTask;
  readonly journal: ReadonlyMap<string, CallRecord>;
  readonly isDraining: () => boolean;
  readonly tell: (event: WorkerEvent) => void;
}

export function createHands({ queue, held, journal, isDraining, tell }: HandsOptions): TaskHands {
  const { task, lease, signal } = held;
  const isOurs = async (): Promise<boolean> => {
    if (signal.aborted) return false;
    if (lease.isSure()) return true;
    tell({ type: "paused", task });
    return lease.untilSure(signal);
  };
  const refuse = (what: "intent" | "done"): false => {
    tell({ type: "fenced", task, what });
    held.stop("lost");
    return false;
  };
  return {
    fence: { session: task.session, epoch: task.epoch },
    ledger: {
      async intent(call: string, effect: Effect) {
        if (!(await isOurs())) return false;
        const answer = await queue.intent(task, call, effect);
        if (answer === "lost") return refuse("intent");
        // A cancel is no lost session: the task ends now, not with its lease.
        if (answer === "cancelled") held.stop("cancelled");
        // Asked again: the process may have been frozen while it waited for the answer.
        return answer === "ours" && isOurs();
      },
      isOurs,
      done: async (call, outcome) => (await queue.done(task, call, outcome)) || refuse("done"),
    },
    isOurs,
    signal,
    isDraining,
    journal,
  };
}

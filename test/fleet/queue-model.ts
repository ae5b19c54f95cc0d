import type { Effect } from "../../src/core/tool.ts";
import type { FleetTaskState } from "../../src/fleet/task.ts";
import type { IntentAnswer } from "../../src/fleet/worker-queue.ts";

/** What a task is in the model: the rules of the queue without a database. */
export interface ModelTask {
  readonly key: string;
  readonly session: string;
  readonly limit: string;
  readonly onUnknown: "tell" | "stop";
  state: FleetTaskState;
  attempt: number;
  isCancelled: boolean;
  /** Which taking it runs under. */
  epoch: number | null;
  readonly calls: Map<string, { state: "intent" | "done" | "unknown"; readonly effect: Effect; readonly epoch: number }>;
}

interface ModelSession {
  epoch: number;
  holder: number | null;
  isOver: boolean;
}

export const MAX_ATTEMPTS = 3;
export const LIMIT = 2;

/** One tenant, workers by their numbers. Epochs are counted from one; the real ones are others, and as many. */
export function createQueueModel() {
  const tasks: ModelTask[] = [];
  const sessions = new Map<string, ModelSession>();
  const isWaiting = (task: ModelTask): boolean =>
    tasks.find((one) => one.session === task.session && (one.state === "queued" || one.state === "running")) !== task;
  const runningOf = (limit: string): number => tasks.filter((task) => task.limit === limit && task.state === "running").length;
  const release = (task: ModelTask, counts: boolean): FleetTaskState => {
    const opened = settleCalls(task);
    const session = sessions.get(task.session)!;
    task.state = task.isCancelled
      ? "cancelled"
      : task.onUnknown === "stop" && opened > 0
        ? "unknown"
        : counts && task.attempt >= MAX_ATTEMPTS
          ? "failed"
          : "queued";
    if (task.state === "queued" && !counts) task.attempt--;
    Object.assign(session, { holder: null, isOver: false, epoch: session.epoch + 1 });
    return task.state;
  };
  const isHeldUnder = (task: ModelTask, epoch: number): boolean => task.state === "running" && task.epoch === epoch;
  return {
    tasks,
    submit(key: string, session: string, limit: string, onUnknown: "tell" | "stop"): boolean {
      if (tasks.some((task) => task.key === key)) return false;
      if (!sessions.has(session)) sessions.set(session, { epoch: 0, holder: null, isOver: false });
      tasks.push({ key, session, limit, onUnknown, state: "queued", attempt: 0, isCancelled: false, epoch: null, calls: new Map() });
      return true;
    },
    take(worker: number, max: number): readonly ModelTask[] {
      const taken: ModelTask[] = [];
      for (const task of tasks) {
        if (taken.length === max || task.state !== "queued" || isWaiting(task)) continue;
        if (task.limit !== "" && runningOf(task.limit) >= LIMIT) continue;
        const session = sessions.get(task.session)!;
        Object.assign(session, { holder: worker, isOver: false, epoch: session.epoch + 1 });
        Object.assign(task, { state: "running", attempt: task.attempt + 1, epoch: session.epoch });
        taken.push(task);
      }
      return taken;
    },
    beat(task: ModelTask, epoch: number): "cancelled" | "lost" | null {
      const session = sessions.get(task.session)!;
      if (session.epoch !== epoch) return "lost";
      if (session.holder !== null) session.isOver = false;
      return isHeldUnder(task, epoch) && task.isCancelled ? "cancelled" : null;
    },
    expire(worker: number): void {
      for (const session of sessions.values()) if (session.holder === worker) session.isOver = true;
    },
    reap(): readonly string[] {
      const ended = tasks.filter((task) => task.state === "running" && sessions.get(task.session)!.isOver);
      return ended.map((task) => `${task.key} ${release(task, true)}`).sort();
    },
    intent(task: ModelTask, epoch: number, call: string, effect: Effect): IntentAnswer {
      if (!isHeldUnder(task, epoch)) return "lost";
      if (task.isCancelled) return "cancelled";
      const known = task.calls.get(call);
      if (known) return known.state === "intent" && known.epoch === epoch ? "ours" : "known";
      task.calls.set(call, { state: "intent", effect, epoch });
      return "ours";
    },
    done(task: ModelTask, epoch: number, call: string): boolean {
      const known = task.calls.get(call);
      if (!isHeldUnder(task, epoch) || known?.epoch !== epoch || known.state === "unknown") return false;
      known.state = "done";
      return true;
    },
    finish(task: ModelTask, epoch: number, end: "done" | "failed"): boolean {
      if (task.epoch === epoch && task.state === end) return true;
      if (!isHeldUnder(task, epoch)) return false;
      settleCalls(task);
      task.state = end;
      Object.assign(sessions.get(task.session)!, { holder: null, isOver: false });
      return true;
    },
    giveBack: (task: ModelTask, epoch: number, counts: boolean): FleetTaskState | "lost" =>
      isHeldUnder(task, epoch) ? release(task, counts) : "lost",
    cancel(task: ModelTask): boolean {
      if (task.state !== "queued" && task.state !== "running") return false;
      task.isCancelled = true;
      if (task.state === "queued") task.state = "cancelled";
      return true;
    },
  };
}

/** Calls without an outcome: reads are forgotten, the rest is unknown. How many became so. */
function settleCalls({ calls }: ModelTask): number {
  let opened = 0;
  for (const [name, call] of calls) {
    if (call.state !== "intent") continue;
    if (call.effect === "reads") calls.delete(name);
    else {
      call.state = "unknown";
      opened++;
    }
  }
  return opened;
}

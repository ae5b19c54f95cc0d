import type { Bus } from "../core/ports/fleet.ts";
import type { Pg } from "../store/pg/pg.ts";
import type { FleetTask, FleetTaskState, NewTask, TaskResult } from "./task.ts";

/** The queue as those who ask see it: the tasks of one tenant, the one of the connection. */
export interface Queue {
  /** The same key gives the same task, however often and from wherever it comes. Throws a `QueueFull` beyond `maxQueued`. */
  submit(tasks: readonly NewTask[], options?: { readonly maxQueued?: number }): Promise<readonly Submitted[]>;
  get(id: string): Promise<FleetTask | null>;
  /** Newest first. */
  list(filter?: TaskFilter): Promise<readonly FleetTask[]>;
  /** A task that waits ends at once; one that runs is told to. Returns those that were still to end. */
  cancel(what: { readonly id: string } | { readonly batch: string }, why: string): Promise<readonly string[]>;
  /** How many tasks there are in each state, and how old the oldest one is that waits. */
  status(filter?: { readonly batch?: string }): Promise<QueueStatus>;
  /** All workers, whoever's tasks they take. */
  workers(): Promise<readonly WorkerRow[]>;
  /** It takes nothing more, gives back what it has at the next step, and ends. False: there is no such worker. */
  drain(worker: string): Promise<boolean>;
  /** At most so many tasks of the key run at once, on all machines together; null is no limit. */
  setLimit(key: string, maxRunning: number | null): Promise<void>;
  /** No task of the key begins before so many milliseconds are over. A later time stays. */
  postpone(key: string, ms: number): Promise<void>;
  /** Tasks of a batch as they were submitted, a page at a time; `next` is null at the end. */
  results(batch: string, after?: number, limit?: number): Promise<ResultPage>;
}

export interface Submitted {
  readonly id: string;
  readonly key: string;
  /** False: the key was there already. */
  readonly isNew: boolean;
}

export interface TaskFilter {
  readonly state?: FleetTaskState;
  readonly batch?: string;
  readonly session?: string;
  readonly limit?: number;
}

export interface QueueStatus {
  readonly counts: Readonly<Record<FleetTaskState, number>>;
  /** Null where nothing waits. */
  readonly oldestQueuedMs: number | null;
}

export interface WorkerRow {
  readonly name: string;
  readonly version: string;
  /** `gone` has said so itself, or was not heard of for several leases. */
  readonly state: "ready" | "draining" | "gone";
  /** Whose tasks it takes; null is everybody's. */
  readonly tenant: string | null;
  readonly slots: number;
  readonly running: number;
  readonly labels: readonly string[];
  readonly seenMsAgo: number;
}

export interface ResultPage {
  readonly results: readonly BatchResult[];
  /** What `after` is for the next page. */
  readonly next: number | null;
}

export interface BatchResult {
  readonly id: string;
  readonly key: string;
  readonly state: FleetTaskState;
  readonly attempt: number;
  readonly result: TaskResult | null;
}

/** Too many tasks of this tenant wait already. Nothing of what was refused is in the queue. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

export interface QueueOptions {
  /** Hints for workers; without one they find out at their next look. */
  readonly bus?: Bus | undefined;
}

export function openQueue(_db: Pg, _options: QueueOptions = {}): Queue {
  throw new Error("The queue is not there yet.");
}

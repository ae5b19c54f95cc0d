import type { Effect } from "../core/tool.ts";
import type { FleetTask, TaskResult } from "./task.ts";

/** The queue as workers see it. Every statement names the epoch that a session was taken with, so asking twice is safe and coming late changes nothing. */
export interface WorkerQueue {
  register(worker: WorkerInfo): Promise<void>;
  /** At most `max` tasks, of sessions that nobody holds. */
  take(max: number): Promise<readonly TakenTask[]>;
  /** One statement for all sessions: their leases begin anew. Not asked again when the server is away: the next beat does. */
  beat(held: readonly TakenTask[]): Promise<BeatAnswer>;
  /** Ends what workers have left who were not heard of for a lease. Only for those who were in touch with the server that long themselves. */
  reap(): Promise<readonly Reaped[]>;
  /** Before a call. */
  intent(task: TakenTask, call: string, effect: Effect): Promise<IntentAnswer>;
  /** After it. False: the session is no longer ours. */
  done(task: TakenTask, call: string, outcome: string): Promise<boolean>;
  /** False: the session is no longer ours, and what came of the task is not recorded. Calls without an outcome become `unknown`. */
  finish(
    task: TakenTask,
    end: "done" | "failed" | "cancelled",
    result: TaskResult,
    options?: { readonly stays?: boolean },
  ): Promise<boolean>;
  /** Back into the queue. Without `counts` this attempt counts for nothing. */
  giveBack(task: TakenTask, options?: { readonly afterMs?: number; readonly counts?: boolean; readonly why?: string }): Promise<boolean>;
  /** What is known of the calls of a task. */
  journal(task: TakenTask): Promise<ReadonlyMap<string, CallRecord>>;
  /** See `Queue.postpone`. */
  postpone(tenant: string, key: string, ms: number): Promise<void>;
  /** Whose tasks wait that this worker could take. */
  waitingTenants(): Promise<readonly string[]>;
  /** Takes nothing more, or is gone. */
  setState(state: "draining" | "gone"): Promise<void>;
  close(): Promise<void>;
}

export interface WorkerInfo {
  /** Letters, digits, `-`, `_` and `.`; one process at a time has it. */
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly labels: readonly string[];
  /** Takes tasks of this tenant alone; null takes everybody's. */
  readonly tenant: string | null;
  /** Forms of payloads that this version knows. */
  readonly formats: readonly number[];
  readonly leaseMs: number;
}

export interface TakenTask extends FleetTask {
  readonly state: "running";
  readonly holder: string;
  readonly epoch: number;
}

export interface BeatAnswer {
  /** What became of each session: null goes on. */
  readonly held: ReadonlyMap<TakenTask, "cancelled" | "lost" | null>;
  readonly state: "ready" | "draining" | "gone";
  /** What others let every beat say, by tenant: the version of the policy, for one. Made by the function `beat_news` of the schema. */
  readonly news: Readonly<Record<string, unknown>>;
}

export interface Reaped {
  readonly tenant: string;
  readonly id: string;
  readonly session: string;
  readonly state: "queued" | "failed" | "unknown" | "cancelled";
  readonly unknown: number;
}

/** `known`: the journal has this call already, so it must not be made again. */
export type IntentAnswer = "ours" | "cancelled" | "lost" | "known";

export interface CallRecord {
  readonly effect: Effect;
  /** `intent` is under way; `unknown` was under way when its worker was lost. */
  readonly state: "intent" | "done" | "unknown";
  readonly outcome: string | null;
}

export interface WorkerQueueOptions {
  readonly url: string;
  /** Connections for calls; beats have their own. */
  readonly connections?: number;
}

export function openWorkerQueue(_options: WorkerQueueOptions): WorkerQueue {
  throw new Error("The queue is not there yet.");
}

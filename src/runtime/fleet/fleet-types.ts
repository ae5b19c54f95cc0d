import type { FleetTask, FleetTaskState, TaskPayload, TaskResult } from "../../fleet/task.ts";

export type { FleetTask, FleetTaskState, TaskPayload, TaskResult };

/** What `openFleet` takes. */
export interface FleetOptions {
  /** The database that the fleet shares: `postgres://user@host/database`. */
  readonly store: string;
  /** Where hints go: `nats://host:4222`. Default: the database carries them. */
  readonly bus?: string;
  /** Whose sessions and tasks. Default: `main`. */
  readonly tenant?: string;
  /** On whose behalf everything is asked for: the audit log names them, and they cannot answer the questions that come of it. */
  readonly person?: string;
  /** Words about a server that is away, and is back. */
  readonly onTrouble?: (words: string) => void;
}

/** A fleet of workers, as a program gives it work. */
export interface Fleet {
  /** A conversation with a folder of its own, on whichever worker has it. It begins with the first message. */
  session(id: string): FleetSession;
  /** Gives the fleet a task of its own and returns its id. The same key gives the same task. */
  submit(text: string, options?: SubmitOptions): Promise<string>;
  /** Null: there is none. */
  task(id: string): Promise<FleetTask | null>;
  /** What happens in a task from now on, and what comes of it. */
  follow(id: string): FleetTurn;
  /** False: it is over already, or there is none. */
  cancel(id: string, why?: string): Promise<boolean>;
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A session of a fleet. */
export interface FleetSession {
  readonly id: string;
  /** Says something to the session. What is said while it is busy is heard with its next turn. Nobody has to listen: the message is kept. */
  send(text: string, options?: FleetSendOptions): FleetTurn;
}

/** A turn on some worker: its events as they come, and its end. */
export interface FleetTurn extends AsyncIterable<FleetEvent> {
  /** Waits for the end. Throws where the task is gone. */
  result(): Promise<FleetTask>;
}

/** Something that happened in a turn on a worker, as `zeph run --json` prints it, and which task it belongs to. */
export interface FleetEvent {
  readonly type: string;
  readonly task: string;
  readonly [name: string]: unknown;
}

/** What may be said about a message to a session. */
export interface FleetSendOptions {
  /** The same key says it once. */
  readonly key?: string;
  /** A repository to work in. A session keeps the one it was given. */
  readonly repo?: NonNullable<TaskPayload["repo"]>;
  /** The provider, by its name in the configuration of the workers. */
  readonly model?: string;
  readonly limits?: NonNullable<TaskPayload["limits"]>;
  /** Only workers with this label take it. */
  readonly label?: string;
  /** At most so many tasks of a limit run at once: its name. */
  readonly limit?: string;
  /** Ends the listening. The turn goes on. */
  readonly signal?: AbortSignal;
}

/** What may be said about a task. */
export interface SubmitOptions extends Omit<FleetSendOptions, "signal"> {
  /** Tasks of a session run one after the other. Default: a session of its own, which ends with the task. */
  readonly session?: string;
  readonly batch?: string;
  /** What becomes of it when nobody knows what came of a call: the model is told and goes on, or it ends as `unknown`. Default: `tell`. */
  readonly onUnknown?: "tell" | "stop";
}

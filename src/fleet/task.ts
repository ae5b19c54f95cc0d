/** What a person or a program asks a fleet to do: one turn of a session. */
export interface NewTask {
  /** The same key of a tenant gives the same task. */
  readonly key?: string;
  /** Tasks of a session run one after the other, on one machine at a time. Without one the task has a session of its own. */
  readonly session?: string;
  readonly payload: TaskPayload;
  /** At most so many tasks of a limit run at once, on all machines together: see `setLimit`. */
  readonly limit?: string;
  /** Only workers with this label take it. */
  readonly label?: string;
  readonly batch?: string;
  /** How often it may be begun anew after a worker was lost. */
  readonly maxAttempts?: number;
  /** What becomes of it when nobody knows what came of a call: the model is told and goes on, or it ends as `unknown` and a person decides. */
  readonly onUnknown?: "tell" | "stop";
}

/** What a worker needs to know. Secrets are named, never given. */
export interface TaskPayload {
  /** A worker takes only forms that it knows. */
  readonly format: 1;
  readonly text: string;
  /** A repository to work in, and a branch of it. */
  readonly repo?: { readonly url: string; readonly ref?: string };
  /** The provider, by its name in the worker's configuration. */
  readonly model?: string;
  readonly limits?: { readonly turns?: number; readonly tokens?: number; readonly usd?: number; readonly seconds?: number };
  /** Who asked, as the audit log names them. */
  readonly person?: string;
  /** W3C trace context of whoever asked. */
  readonly traceparent?: string;
}

/** How a task of a fleet stands. `unknown`: nobody knows what came of one of its calls, and a person decides. */
export type FleetTaskState = "queued" | "running" | "done" | "failed" | "unknown" | "cancelled";

/** A task of a fleet, as it stands. */
export interface FleetTask {
  readonly id: string;
  readonly tenant: string;
  readonly key: string | null;
  readonly session: string;
  readonly batch: string | null;
  readonly state: FleetTaskState;
  readonly payload: TaskPayload;
  readonly limit: string | null;
  readonly label: string | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The version of Zeph that ran it last. */
  readonly version: string | null;
  readonly holder: string | null;
  readonly epoch: number | null;
  /** Who wants it to end, and why. */
  readonly cancel: string | null;
  readonly result: TaskResult | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** What came of a task. */
export interface TaskResult {
  readonly ok: boolean;
  /** The model's last words, or what went wrong. */
  readonly text: string;
  /** Calls of which nobody knows what came of them. */
  readonly unknown: number;
  readonly usd?: number;
  readonly tokens?: number;
  /** Where the session's files are as it left them: a ref of its repository. */
  readonly snapshot?: string;
  readonly worker: string;
}

import type { Answer, Question } from "../../core/event.ts";
import type { FleetPerson } from "../../core/ports/fleet/person.ts";

/** A fleet as one person may use it: what is another tenant's is not there. Throws a `DoorRefusal` where it is full, or nobody knows. */
export interface GatewayDoor {
  submit(tasks: readonly AskedTask[]): Promise<readonly SubmittedTask[]>;
  /** A message for a session, which may be busy: the next turn takes along all that waits. */
  say(session: string, message: SessionMessage): Promise<{ readonly n: number }>;
  /** The task whose turn has a message; null while it waits, or where there is none. */
  taskOfMessage(session: string, n: number): Promise<string | null>;
  task(id: string): Promise<TaskView | null>;
  /** Newest first. */
  tasks(filter: TaskSearch): Promise<readonly TaskView[]>;
  /** False: it is over already. */
  cancel(id: string): Promise<boolean>;
  /** What happens in a session, while somebody listens. Null: something that was too large to be told. */
  hear(session: string, listener: (event: Readonly<Record<string, unknown>> | null) => void): Promise<() => void>;
  approvals(): Promise<readonly ApprovalView[]>;
  /** Refuses where the answer changes nothing. */
  answer(id: string, given: ApproverAnswer): Promise<void>;
  /** Copies of audit lines, as JSON lines, a page at a time. Null: all of them. */
  auditLines(since: Date | null): AsyncIterable<string>;
  status(): Promise<object>;
  /** False: there is no such worker, or it is somebody else's. */
  drain(worker: string): Promise<boolean>;
}

export type OpenDoor = (person: FleetPerson) => GatewayDoor;

/** Settled by the fleet, with the answer that HTTP has for it. */
export class DoorRefusal extends Error {
  override readonly name = "DoorRefusal";
  readonly status: 400 | 403 | 404 | 409 | 429 | 503;
  readonly retryAfterS: number | null;
  constructor(status: DoorRefusal["status"], message: string, options: { readonly retryAfterS?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.retryAfterS = options.retryAfterS ?? null;
  }
}

export interface SessionMessage {
  readonly text: string;
  readonly key?: string | undefined;
  readonly repo?: { readonly url: string; readonly ref?: string | undefined } | undefined;
  readonly model?: string | undefined;
  readonly limits?: TaskBounds | undefined;
  readonly label?: string | undefined;
  readonly limit?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface AskedTask extends SessionMessage {
  readonly session?: string | undefined;
  readonly batch?: string | undefined;
  readonly maxAttempts?: number | undefined;
  readonly onUnknown?: "tell" | "stop" | undefined;
}

export interface TaskBounds {
  readonly turns?: number | undefined;
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
  readonly seconds?: number | undefined;
}

export interface SubmittedTask {
  readonly id: string;
  readonly key: string;
  /** False: the key was there already, and nothing was added. */
  readonly isNew: boolean;
}

export interface TaskSearch {
  readonly state?: string | undefined;
  readonly batch?: string | undefined;
  readonly session?: string | undefined;
  readonly limit: number;
}

export interface TaskView {
  readonly id: string;
  readonly key: string | null;
  readonly session: string;
  readonly batch: string | null;
  readonly state: "queued" | "running" | "done" | "failed" | "unknown" | "cancelled";
  readonly text: string;
  readonly person: string | null;
  readonly attempt: number;
  readonly worker: string | null;
  readonly cancel: string | null;
  readonly result: object | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export const isOver = ({ state }: Pick<TaskView, "state">): boolean => state !== "queued" && state !== "running";

export interface ApprovalView {
  readonly id: string;
  readonly session: string;
  readonly askedBy: string;
  readonly question: Question;
  readonly digest: string;
  readonly askedAt: number;
  readonly until: number;
}

export interface ApproverAnswer {
  readonly answer: Answer;
  /** Of the question that was shown: an answer counts for nothing else. */
  readonly digest: string;
  readonly reason?: string | undefined;
}

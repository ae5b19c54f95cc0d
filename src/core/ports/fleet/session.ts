import type { Effect } from "../../tool.ts";

/** Who may write for a session: the number it was taken with. It only rises, and a write that names an older one is refused. */
export interface SessionFence {
  readonly session: string;
  readonly epoch: number;
}

/** The journal of a session's calls, shared by all machines. False: the session is no longer ours, and nothing may be done. */
export interface CallLedger {
  /** Before an effect. Also waits, or refuses, while nobody knows whether the session is still ours. */
  intent(call: string, effect: Effect): Promise<boolean>;
  /** In the last moment before the effect, by the process's own clock and without a question: what lay between the intent and the effect took its time. Waits while nobody knows. */
  isOurs(): Promise<boolean>;
  /** After it, with what came of it in a few words. */
  done(call: string, outcome: string): Promise<boolean>;
}

/** What the journal says of a call that has no result: nobody knows what came of it, it ended and its result was lost, or it was never made. */
export type CallFate = "unknown" | "ended" | "not made";

/** A session of a fleet, as the process that holds it has it. */
export interface HeldSession {
  readonly ledger: CallLedger;
  /** Of a call that another process asked for, and whose result it did not keep. */
  fateOf(call: string): CallFate;
  /** What the model is told beside the words of the next turn: what was lost elsewhere. */
  readonly news?: string;
  /** The words of the next turn are ours: the person's are in the conversation already. */
  readonly resumes?: true;
}

/** Hints between machines. What is lost costs time, never a task: the database is the truth. */
export interface Bus {
  /** Subjects are words with dots; data is at most 64 kB of JSON. Never throws, and waits for nobody. */
  tell(subject: string, data?: unknown): void;
  /** Returns what ends the listening. */
  hear(subject: string, listener: (data: unknown, subject: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

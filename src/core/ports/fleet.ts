import type { Effect } from "../tool.ts";

/** Who may write for a session: the number it was taken with. It only rises, and a write that names an older one is refused. */
export interface SessionFence {
  readonly session: string;
  readonly epoch: number;
}

/** The journal of a session's calls, shared by all machines. False: the session is no longer ours, and nothing may be done. */
export interface CallLedger {
  /** Before an effect. Also waits, or refuses, while nobody knows whether the session is still ours. */
  intent(call: string, effect: Effect): Promise<boolean>;
  /** After it, with what came of it in a few words. */
  done(call: string, outcome: string): Promise<boolean>;
}

/** Hints between machines. What is lost costs time, never a task: the database is the truth. */
export interface Bus {
  /** Subjects are words with dots; data is at most 64 kB of JSON. Never throws, and waits for nobody. */
  tell(subject: string, data?: unknown): void;
  /** Returns what ends the listening. */
  hear(subject: string, listener: (data: unknown, subject: string) => void): Promise<() => void>;
  close(): Promise<void>;
}

/** The policy that a fleet is governed by, as a runtime follows it. */
export interface PolicySource {
  /** The newest one that was read; null where none was ever pushed. The same object as long as it is the same. */
  current(): { readonly version: number; readonly files: Readonly<Record<string, string>> } | null;
  /** Called when another one is there. Returns what ends this. */
  onChange(listener: () => void): () => void;
  /** A runtime tells what it made of a version: null when it counts there, else why the rules before stay. */
  settled(version: number, problem: string | null): void;
}

/** What a person may use of a fleet in a day, as a runtime asks for it. Each call is set aside before it is judged, so that judging waits for nobody. */
export interface PersonQuota {
  /** Sets a call aside; where nothing is left, or nobody can tell, `refusal` says so. Null is no limit. */
  reserve(callId: string, limits: QuotaLimits): Promise<void>;
  /** Why the call may not be made; null when it was set aside, or when nothing is known against it. */
  refusal(callId: string): QuotaRefusal | null;
  /** The call was let in, and counts. */
  count(callId: string): void;
  /** The call is over. What was set aside and not used is free again. */
  release(callId: string): void;
}

/** Calls in a day: of everybody, and of those who have a number of their own. */
export interface QuotaLimits {
  readonly calls_per_day?: number | undefined;
  readonly people: Readonly<Record<string, number>>;
}

export interface QuotaRefusal {
  readonly rule: string;
  readonly why: string;
}

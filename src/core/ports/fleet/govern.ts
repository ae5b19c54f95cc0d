/** The policy that a fleet is governed by, as a runtime follows it. */
export interface PolicySource {
  /** The newest one that was read; null where none was ever pushed. The same object as long as it is the same. */
  current(): { readonly version: number; readonly files: Readonly<Record<string, string>> } | null;
  /** Called when another one is there. Returns what ends this. */
  onChange(listener: () => void): () => void;
}

/** What a person may use of a fleet in a day, as a runtime asks for it. Each call is set aside before it is judged, so that judging waits for nobody. */
export interface PersonQuota {
  /** Sets a call aside; where nothing is left, or nobody can tell, `refusal` says so. Never throws. */
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

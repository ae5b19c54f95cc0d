/** What can go wrong between us and a model, and whether trying again may help. The only table of its kind. */
export const FAULTS = {
  no_key: { again: false },
  wrong_key: { again: false },
  no_credit: { again: false },
  unknown_model: { again: false },
  too_long: { again: false },
  bad_request: { again: false },
  /** The answer was larger than any answer can be. */
  runaway: { again: false },
  rate_limited: { again: true },
  server_error: { again: true },
  unreachable: { again: true },
  timeout: { again: true },
  /** The stream ended before the answer did. */
  cut: { again: true },
  /** What came is not what the protocol says. */
  garbled: { again: true },
} as const satisfies Record<string, { again: boolean }>;

/** What went wrong between us and a model. */
export type Fault = keyof typeof FAULTS;

/** What an error of a model may say besides its message. */
export interface ModelErrorDetails {
  /** How long the other side asked us to wait. */
  readonly retryAfterMs?: number;
}

/** A request to a model failed. The message is for the person: what happened, and what to do. It never contains a key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly fault: Fault;
  readonly retryAfterMs?: number;
  constructor(fault: Fault, message: string, { retryAfterMs, ...options }: ErrorOptions & ModelErrorDetails = {}) {
    super(message, options);
    this.fault = fault;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }

  /** JSON keeps no message of an error by itself. */
  toJSON(): object {
    const { name, fault, message, retryAfterMs } = this;
    return { name, fault, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
}

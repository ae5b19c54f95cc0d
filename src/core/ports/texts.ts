/**
 * Work on long texts, done in a thread so that the event loop goes on. The texts travel in pieces; the job beside them is small and plain data.
 */
export interface Texts {
  /** Rejects when the work fails, takes too long or is cancelled. Whoever asked knows nothing about the texts then. */
  work(job: TextJob, texts: readonly string[], signal: AbortSignal): Promise<Worked>;
  close(): Promise<void>;
}

export interface TextJob {
  readonly kind: string;
}

export interface Worked {
  readonly answer: unknown;
  readonly texts: readonly string[];
}

/** What the thread does with a job. */
export type TextWork = (job: TextJob, texts: readonly string[]) => Worked;

/** From this many characters on a text is long: the dearest ones of this length take a few milliseconds to search. */
export const LONG_TEXT = 32_000;

import { waitWithin } from "../text/wait-within.ts";

const FOREVER_MS = 2 ** 31 - 1;
/** After that whoever started the worker is told what it waits for. */
const QUIET_MS = 2000;

/** The first answer of the database, which is waited for without an end. Null: the worker was stopped meanwhile. */
export async function waitForFirstAnswer<T>(answer: Promise<T>, signal: AbortSignal, warn: (words: string) => void): Promise<T | null> {
  const late = setTimeout(() => warn("The database does not answer yet. The worker waits for it and takes nothing until then."), QUIET_MS);
  try {
    return await waitWithin(answer, FOREVER_MS, null, signal);
  } finally {
    clearTimeout(late);
  }
}

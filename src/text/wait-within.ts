import { abortAfter } from "./abort.ts";

/** What the work comes to, or `late` when it takes longer than this or the signal is aborted first. The work is left to itself then. */
export function waitWithin<T, L>(work: Promise<T>, ms: number, late: L, signal?: AbortSignal): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const stop = () => end(() => resolve(late));
    const timer = setTimeout(stop, ms);
    work.then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Waits for the end of the work, good or bad, but not longer than this. */
export const waitAtMost = (work: Promise<unknown>, ms: number): Promise<void> =>
  waitWithin(Promise.allSettled([work]).then(IGNORE), ms, undefined);

const IGNORE = (): void => {};

/** What `ask` answers within so many milliseconds; null when it fails, is late or is cancelled. It is told to stop when its time is over. */
export async function answerInTime<T>(
  ask: (signal: AbortSignal) => Promise<T | null>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<T | null> {
  if (signal.aborted) return null;
  const limit = AbortSignal.any([signal, abortAfter(milliseconds)]);
  const late = new Promise<null>((resolve) => limit.addEventListener("abort", () => resolve(null), { once: true }));
  return Promise.race([ask(limit).catch(() => null), late]);
}

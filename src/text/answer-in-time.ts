import { abortAfter } from "./abort.ts";
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

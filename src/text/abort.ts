/**
 * What the work comes to, or what `stopped` gives when the signal is aborted first; it may throw. The work is left to itself then:
 * not everything listens to a signal.
 */
export async function unlessAborted<T, S>(work: Promise<T>, signal: AbortSignal, stopped: () => S): Promise<T | S> {
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([work, aborted.then(stopped)]).finally(() => signal.removeEventListener("abort", stop));
}

/** Resolves when the signal is aborted; at once when it has been. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/**
 * A signal that is aborted when the time is over. Its clock keeps it alive; an `AbortSignal.timeout` that is only part of an
 * `AbortSignal.any` is forgotten by Node at the next garbage collection, and then nothing ends.
 */
export function abortAfter(milliseconds: number, reason: () => unknown = timeOver): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(reason()), milliseconds).unref();
  return late.signal;
}

const timeOver = () => new DOMException("The time is over.", "TimeoutError");

/** Does the work with a signal that somebody else made. It is listened to until the work ends, so that Node does not forget it before. */
export async function whileHeld<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const listen = () => {};
  signal.addEventListener("abort", listen);
  return work().finally(() => signal.removeEventListener("abort", listen));
}

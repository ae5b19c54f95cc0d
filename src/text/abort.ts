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

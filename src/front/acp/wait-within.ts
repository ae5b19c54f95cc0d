/** Waits for a promise, but not longer than this and not after the signal. Whatever becomes of it later is nobody's business. */
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

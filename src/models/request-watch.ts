/** How long the line may stay open behind the end of an answer. */
const LINGER_MS = 1000;

/** Looks after one request: the caller's wish to stop, silence, and that nothing is left behind. */
export function watchRequest(signal: AbortSignal, timeoutMs: number) {
  const own = new AbortController();
  const stops: (() => void)[] = [];
  let isSilent = false;
  let isOver = false;
  let onSilence = () => {
    isSilent = true;
    end(new DOMException("Nothing came for too long.", "TimeoutError"));
  };
  let timer = setTimeout(() => onSilence(), timeoutMs);

  const end = (reason: unknown) => {
    own.abort(reason);
    for (const stop of stops.splice(0)) stop();
  };
  const abort = () => end(signal.reason);
  signal.addEventListener("abort", abort, { once: true });

  return {
    signal: own.signal as AbortSignal,
    timedOut: () => isSilent,
    touch() {
      if (!isOver) timer.refresh();
    },
    throwIfStopped: () => own.signal.throwIfAborted(),
    onStop(stop: () => void) {
      if (own.signal.aborted) stop();
      else stops.push(stop);
    },
    /** A package that does not listen to its signal must not keep us. */
    orStopped<T>(work: PromiseLike<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        work.then(resolve, reject);
        this.onStop(() => reject(own.signal.reason));
      });
    },
    /** From here on silence is no failure; the answer is whole. */
    expectEnd(close: () => void) {
      if (onSilence === close || isOver) return;
      onSilence = close;
      clearTimeout(timer);
      timer = setTimeout(() => onSilence(), Math.min(LINGER_MS, timeoutMs));
    },
    /** The answer was read to its end; what is left of the connection is left to `drain`. */
    letGo(drain: () => void) {
      isOver = true;
      drain();
    },
    stop() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      stops.length = 0;
      if (!isOver) own.abort();
      isOver = true;
    },
  };
}

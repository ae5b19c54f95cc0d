/** Puts one question after the other: an editor that is asked two at once may show neither. */
export function oneAtATime(): <T>(ask: () => Promise<T>, signal: AbortSignal, unasked: T) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (ask, signal, unasked) => {
    const mine = before.then(() => (signal.aborted ? unasked : ask()));
    before = mine.catch(() => {});
    return mine;
  };
}

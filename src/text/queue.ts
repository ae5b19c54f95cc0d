/** Runs one piece of work after the other. A piece that fails fails for its caller alone; the next one still runs. */
export type Queue = <T>(work: () => T | Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

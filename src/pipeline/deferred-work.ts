/** Work that may wait until no call waits. Work that is asked for meanwhile is done at once. */
export interface DeferredWork {
  later(key: string, work: () => Promise<void>): void;
  /** Resolves when the work put off under this key, if any, is done. */
  now(key: string): Promise<void>;
}

/** While a model thinks there is time; between its calls there is none. */
const PAUSE_MS = 100;
/** Of a quick run of calls only the last few are worth it. */
const MOST = 4;

export function createDeferredWork(): DeferredWork {
  const waiting = new Map<string, () => Promise<void>>();
  const working = new Map<string, Promise<void>>();
  const start = (key: string): Promise<void> => {
    const work = waiting.get(key);
    waiting.delete(key);
    if (!work) return working.get(key) ?? Promise.resolve();
    const done: Promise<void> = work()
      // Work that fails does no harm: the next call does all of it.
      .catch(() => {})
      .finally(() => void (working.get(key) === done && working.delete(key)));
    working.set(key, done);
    return done;
  };
  return {
    later(key, work) {
      waiting.delete(key);
      waiting.set(key, work);
      if (waiting.size > MOST) waiting.delete(waiting.keys().next().value!);
      setTimeout(() => waiting.get(key) === work && start(key), PAUSE_MS).unref();
    },
    now: start,
  };
}

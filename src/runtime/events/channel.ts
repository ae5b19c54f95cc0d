/** Events on their way from who makes them to who reads them, in order. */
export interface Channel<T> {
  /** Resolves when there is room for more. Who cannot wait need not. */
  put(item: T): Promise<void>;
  /** Resolves when the reader has dealt with everything so far and waits for more. */
  read(): Promise<void>;
  end(error?: unknown): void;
  items(): AsyncGenerator<T, void>;
}

/** A reader who is slow slows the writer down, when so many wait. */
const MOST_WAITING = 64;

export function createChannel<T>(): Channel<T> {
  const waiting: T[] = [];
  let ended: { readonly error?: unknown } | null = null;
  /** Nobody reads any more: what comes is dropped, and nobody is kept waiting. */
  let isLeft = false;
  let wakeReader = () => {};
  const writers: (() => void)[] = [];
  const patient: (() => void)[] = [];
  const letWrite = () => {
    for (const wake of writers.splice(0)) wake();
  };
  const tellRead = () => {
    for (const wake of patient.splice(0)) wake();
  };
  return {
    put(item) {
      if (isLeft) return Promise.resolve();
      waiting.push(item);
      wakeReader();
      if (waiting.length < MOST_WAITING || ended) return Promise.resolve();
      return new Promise((resolve) => writers.push(resolve));
    },
    read: () =>
      ended || isLeft
        ? Promise.resolve()
        : new Promise((resolve) => {
            patient.push(resolve);
            wakeReader();
          }),
    end(error) {
      ended ??= error === undefined ? {} : { error };
      wakeReader();
      letWrite();
      tellRead();
    },
    async *items() {
      try {
        for (;;) {
          while (waiting.length > 0) {
            const item = waiting.shift()!;
            if (waiting.length < MOST_WAITING) letWrite();
            yield item;
          }
          tellRead();
          if (ended) {
            if (ended.error !== undefined) throw ended.error;
            return;
          }
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
      } finally {
        isLeft = true;
        waiting.length = 0;
        letWrite();
        tellRead();
      }
    },
  };
}

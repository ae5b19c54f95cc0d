/** What was opened. It is closed in the reverse order: when a runtime ends, and when its opening fails half way. */
export interface Closers {
  add(close: () => unknown): void;
  /** Closes everything, once. A failure keeps nothing else open; the first one is thrown at the end. */
  close(): Promise<void>;
}

export function openClosers(): Closers {
  const open: (() => unknown)[] = [];
  let closed: Promise<void> | null = null;
  const closeAll = async () => {
    const errors: unknown[] = [];
    for (let close = open.pop(); close; close = open.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };
  return {
    add: (close) => void open.push(close),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

import { AsyncLocalStorage } from "node:async_hooks";

/** A value that is there in all that a piece of work does, also later. */
export interface Ambient<T> {
  current(): T | undefined;
  run<R>(value: T, work: () => R): R;
}

interface Entry {
  readonly of: object;
  readonly value: unknown;
  readonly around: Entry | undefined;
}

/** One for all: Node carries every storage along with every promise, and a process may have hundreds of sessions. */
const carried = new AsyncLocalStorage<Entry>();

export function createAmbient<T>(): Ambient<T> {
  const of = {};
  return {
    current() {
      for (let at = carried.getStore(); at; at = at.around) if (at.of === of) return at.value as T;
      return undefined;
    },
    run: (value, work) => carried.run({ of, value, around: carried.getStore() }, work),
  };
}

import type { Store } from "../core/ports/store.ts";

type Part = Exclude<keyof Store, "close">;
type Methods = { readonly [P in Part]: { readonly [M in keyof Store[P]]: true } };

/** Every method of every part, as values: a compiler says when one is missing here. */
export const STORE_METHODS: Methods = {
  conversations: { create: true, get: true, list: true, append: true, messages: true, startWindow: true, mark: true, delete: true },
  trust: { get: true, set: true, remove: true, list: true },
  anchors: { get: true, set: true, announce: true, files: true },
  overflow: { put: true, get: true, lastHandle: true, find: true, newest: true, expire: true, list: true, totals: true },
  reputation: { add: true, get: true },
  memories: { save: true, get: true, list: true, forget: true, count: true, search: true, addVector: true, withoutVector: true },
  summaries: { add: true, of: true },
  goals: { create: true, get: true, active: true, list: true, setStatus: true, setTask: true },
  schedule: { add: true, get: true, list: true, remove: true, take: true, ended: true, nextAt: true },
  trajectories: { add: true, bad: true, judge: true, count: true, expire: true },
  pins: { of: true, put: true, forget: true, servers: true },
  strangerWrites: { add: true, holds: true },
  savings: { add: true, list: true },
  sessionMemory: { read: true, write: true, expire: true },
  openQuestions: { add: true, answer: true, get: true, list: true, repeated: true, take: true },
};

/** A store that somebody else opened and closes. Throws a TypeError that names what it lacks. Its parts may be of classes: each method is bound. */
export function openLentStore(store: Store): Store {
  const parts = Object.entries(STORE_METHODS).map(([part, methods]) => {
    const own = Reflect.get(store, part) as Readonly<Record<string, unknown>> | undefined;
    const bound = Object.keys(methods).map((name) => {
      const method = own?.[name];
      if (typeof method !== "function") throw new TypeError(`The store has no function ${part}.${name}.`);
      return [name, method.bind(own)];
    });
    return [part, Object.fromEntries(bound)];
  });
  return { ...Object.fromEntries(parts), close: async () => {} };
}

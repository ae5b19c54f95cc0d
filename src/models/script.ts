import type { Model, ModelEvent } from "../core/model.ts";

/** The model that reads its turns from a list. For the demo and for tests; it says the same whatever it is asked. */
export function scriptModel(turns: readonly (readonly ModelEvent[])[]): Model {
  let next = 0;
  return {
    id: "script",
    async *stream() {
      yield* turns[next++] ?? [];
    },
  };
}

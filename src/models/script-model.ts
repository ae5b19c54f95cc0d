import type { Model, ModelEvent } from "../core/ports/model.ts";

/** The model that reads its turns from a list. For the demo and for tests; it says the same whatever it is asked. */
export function scriptModel(turns: readonly (readonly ModelEvent[])[], id = "script"): Model {
  let next = 0;
  return {
    id,
    async *stream(_prompt, signal) {
      signal.throwIfAborted();
      const turn = turns[next++] ?? [];
      const asks = turn.some(({ type }) => type === "request");
      for (const event of turn) {
        yield event;
        signal.throwIfAborted();
      }
      if (turn.at(-1)?.type !== "end") yield { type: "end", finish: asks ? "calls" : "stop" };
    },
  };
}

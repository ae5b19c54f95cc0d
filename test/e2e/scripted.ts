import type { Box } from "./zeph.ts";

type Event = Record<string, unknown>;

/** What the scripted model does, in few words. */
export const says = (text: string): Event => ({ type: "text", text });
export const thinks = (text: string): Event => ({ type: "thinking", text });
export const ends = (finish: string, input = 100, output = 10, cacheRead = 0): Event => ({
  type: "end",
  finish,
  usage: { input, cacheRead, cacheWrite: 0, output },
});
export const calls = (name: string, args: object, id = `call_${++last}`): Event => ({ type: "request", request: { id, name, args } });
let last = 0;

/** Gives the box a model that reads its turns from a file in the workspace. */
export function scripted(box: Box, turns: readonly (readonly Event[])[], more = ""): Box {
  box.write("turns.json", JSON.stringify(turns));
  box.config(`${more}\n[[llm.providers]]\nname = "script"\ntype = "script"\nmodel = "turns.json"\n`);
  return box;
}

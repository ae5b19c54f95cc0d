import { actionFor } from "../command.ts";
import type { Invocation } from "../program/invocation.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = {
  run: async (given) => (await import("./run.ts")).runHook(given),
};

/** `zeph hook`: Zeph as the hook of another agent. */
export async function hook({ words: [word = "", ...rest], ...given }: Invocation): Promise<number> {
  return actionFor("hook", word, ACTIONS)({ ...given, words: rest });
}

import { actionFor } from "../command.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

/** The input of a word of `zeph hook`: its own words. */
export type HookRequest = Pick<Invocation, "words" | "settings" | "terminal">;

const ACTIONS: Readonly<Record<string, (wish: HookRequest) => Promise<number>>> = {
  install: async (wish) => (await import("./install.ts")).installHooks(wish),
  status: async (wish) => (await import("./status.ts")).hookStatus(wish),
  test: async (wish) => (await import("./test.ts")).testHook(wish),
  remove: async (wish) => (await import("./remove.ts")).removeHooks(wish),
  approve: async (wish) => (await import("./tickets.ts")).approveTicket(wish),
  deny: async (wish) => (await import("./tickets.ts")).denyTicket(wish),
  list: async (wish) => (await import("./tickets.ts")).listTickets(wish),
};

/** `zeph hook`: Zeph as the hook of another agent. */
export async function hook({ words: [word, ...words], settings, terminal }: Invocation): Promise<number> {
  if (word === undefined) throw new UsageError(`Say what to do: ${Object.keys(ACTIONS).join(", ")}.`);
  return actionFor("hook", word, ACTIONS)({ words, settings, terminal });
}

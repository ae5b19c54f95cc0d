import { actionFor } from "../command.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = {
  install: async (given) => (await import("./install.ts")).installHooks(given),
  status: async (given) => (await import("./status.ts")).hookStatus(given),
  test: async (given) => (await import("./test.ts")).testHook(given),
  remove: async (given) => (await import("./remove.ts")).removeHooks(given),
  list: async (given) => (await import("./tickets.ts")).listTickets(given),
  approve: async (given) => (await import("./tickets.ts")).approveTicket(given),
  deny: async (given) => (await import("./tickets.ts")).denyTicket(given),
  run: async (given) => (await import("./run.ts")).runHook(given),
};

/** `zeph hook`: Zeph as the hook of another agent. */
export async function hook({ words: [word, ...rest], ...given }: Invocation): Promise<number> {
  if (word === undefined) throw new UsageError(`Say what to do: ${Object.keys(ACTIONS).join(", ")}.`);
  return actionFor("hook", word, ACTIONS)({ ...given, words: rest });
}

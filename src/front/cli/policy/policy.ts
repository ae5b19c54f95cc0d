import { actionFor } from "../command.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = {
  status: async (given) => (await import("./status.ts")).policyStatus(given),
  check: async (given) => (await import("./check.ts")).policyCheck(given),
  replay: async (given) => (await import("./replay.ts")).policyReplay(given),
  test: async (given) => (await import("./test.ts")).policyTest(given),
};

/** Which options belong to which word. A mistake here would look like an answer. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  status: ["json"],
  check: ["json", "phase", "trust"],
  replay: ["json", "audit", "all", "limit"],
  test: ["json"],
};

/** `zeph policy`: what the rules say, what they would say, and whether they say what was meant. Nothing is run. */
export async function policy({ words: [word = "status", ...rest], ...given }: Invocation): Promise<number> {
  const action = actionFor("policy", word, ACTIONS);
  for (const flag of new Set(Object.values(TAKES).flat()))
    if (given.flags[flag] !== undefined && !TAKES[word]!.includes(flag)) throw new UsageError(`--${flag} is not for zeph policy ${word}.`);
  return action({ ...given, words: rest });
}

import { basename } from "node:path";
import { commandLinesAbove } from "../../../files/agent-process.ts";
import { CLIENT_PLANS } from "../../../hook/install/client-plans.ts";
import { readInstalled } from "../../../hook/install/installed.ts";
import type { Desk } from "../../../runtime/settings/stores.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { UsageError } from "../io.ts";

/** What decides about a governed agent is decided by a person: not by the agent, nor by what it started, behind walls or not. */
export function assertPersonHere(at: Desk["at"], command: string): void {
  assertNoAgentAbove(at, command);
  const governed = new Set(readInstalled(at.state).map(({ client }) => client));
  const client = [...governed].find((name) => commandLinesAbove(process.pid).some((words) => isProcessOf(name, words)));
  if (client !== undefined)
    throw new UsageError(
      `${command} was started by ${client}, which Zeph governs, and only a person may do that. Type it in a terminal of your own.`,
    );
}

/** How many words of a command line can name the program: an interpreter, its options, the script. */
const NAMING_WORDS = 4;

/** Whether these are the words of a process of that client. */
export function isProcessOf(client: keyof typeof CLIENT_PLANS, words: readonly string[]): boolean {
  const plan = CLIENT_PLANS[client];
  return words
    .slice(0, NAMING_WORDS)
    .some(
      (word, n) => (n < 2 && basename(word).replace(/\.[cm]?js$/, "") === plan.program) || word.includes(`/node_modules/${plan.package}/`),
    );
}

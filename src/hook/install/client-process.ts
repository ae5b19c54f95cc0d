import { basename } from "node:path";
import type { ClientName } from "../client.ts";
import { CLIENT_PLANS } from "./client-plans.ts";

/** How many words of a command line can name the program: an interpreter, its options, the script. */
const NAMING_WORDS = 4;

/** Whether these are the words of a process of that client. */
export function isProcessOf(client: ClientName, words: readonly string[]): boolean {
  const plan = CLIENT_PLANS[client];
  return words
    .slice(0, NAMING_WORDS)
    .some(
      (word, n) => (n < 2 && basename(word).replace(/\.[cm]?js$/, "") === plan.program) || word.includes(`/node_modules/${plan.package}/`),
    );
}

import { CLIENT_NAMES, type ClientName } from "../../../hook/client.ts";
import type { ClientPlan } from "../../../hook/install/client-plan.ts";
import { CLIENT_PLANS } from "../../../hook/install/client-plans.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { UsageError } from "../io.ts";

/** The clients that were typed, each once. */
export function namedClients(words: readonly string[]): readonly ClientPlan[] {
  return [...new Set(words)].map((word) => {
    if (!isClientName(word))
      throw new UsageError(
        `"${word}" is no client that Zeph can be the hook of.${didYouMean(word, CLIENT_NAMES)} There are: ${CLIENT_NAMES.join(", ")}.`,
      );
    return CLIENT_PLANS[word];
  });
}

const isClientName = (word: string): word is ClientName => (CLIENT_NAMES as readonly string[]).includes(word);

/** A choice among words. */
export function choiceIn<T extends string>(flag: string, given: string | undefined, choices: readonly T[], standard: T): T {
  if (given === undefined) return standard;
  const found = choices.find((one) => one === given);
  if (found === undefined) throw new UsageError(`"${given}" is no value of ${flag}. Say ${choices.join(", ")}.`);
  return found;
}

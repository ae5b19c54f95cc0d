import { saveKey } from "../../../config/edit/keys.ts";
import { YES_OR_NO } from "../../../question/answers.ts";
import { type AskedAddress, addressOf, checkModelKey, type KeyCheck } from "../../../runtime/first-run/check-key.ts";
import { type KnownProvider, keyForm } from "../../../runtime/first-run/known-providers.ts";
import { readChoice } from "../ask/question.ts";
import type { PrivateReaders } from "../terminal/keyboard.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { AfterFirstRun } from "./first-run.ts";

/** What the first questions are asked with. */
export interface FirstQuestions extends PrivateReaders {
  readonly say: (text: string) => void;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's own configuration. */
  readonly userFile: string;
}

/** Reads a key, looks at its form, offers to try it, and keeps it. */
export async function takeKey(questions: FirstQuestions, provider: KnownProvider): Promise<AfterFirstRun | null> {
  const key = await askForKey(questions, { ...provider, key: null }, provider.begins);
  if (key === null || key === "") return key === null ? "leave" : null;
  const file = saveKey(questions, provider.keyName, key);
  questions.say(`Kept as ${provider.keyName} in ${file}.`);
  return "chat";
}

/** A key that fits, and that its provider takes where that was tried. Empty where Enter alone was pressed, null where nobody answers any more. */
export async function askForKey(questions: FirstQuestions, provider: AskedAddress, begins: readonly string[]): Promise<string | null> {
  const { say, readHidden, terminal } = questions;
  const agree = (what: string) => readChoice(what, YES_OR_NO, questions.read, terminal);
  for (;;) {
    const typed = await readHidden("Paste the key; it is not shown (Enter alone goes back): ");
    if (typed === null) return null;
    const key = typed.trim();
    if (key === "") return "";
    const form = keyForm(key, begins);
    if (form === "no key") {
      say("That is no key: a key is 8 characters or more, without blanks. Copy it again.");
      continue;
    }
    if (form === "unusual") {
      const answer = await agree(`It does not begin with ${begins.join(" or ")}, as keys of ${provider.name} do. Use it all the same?`);
      if (answer === null) return null;
      if (answer === "no") continue;
    }
    const tried = await offerCheck(questions, { ...provider, key });
    if (tried !== "again") return tried === null ? null : key;
  }
}

/** Nothing is sent unless the person says so. */
async function offerCheck(questions: FirstQuestions, asked: AskedAddress): Promise<"taken" | "again" | null> {
  const { say, env, signal, terminal, read } = questions;
  const agree = (what: string) => readChoice(what, YES_OR_NO, read, terminal);
  const { host } = new URL(addressOf(asked, env));
  const wanted = await agree(`Try the key now? It asks ${host} for its list of models, which costs nothing.`);
  if (wanted !== "yes") return wanted === null ? null : "taken";
  const check = await checkModelKey(asked, env, signal);
  say(checkWords(check, host));
  if (check.result === "accepted") return "taken";
  if (check.result === "refused") return "again";
  const anyway = await agree("Keep it all the same?");
  return anyway === null ? null : anyway === "yes" ? "taken" : "again";
}

export function checkWords(check: KeyCheck, host: string): string {
  if (check.result === "accepted") return `${host} takes the key.`;
  if (check.result === "refused") return `${host} refuses this key (${check.detail}). Copy it again, or make a new one there.`;
  if (check.result === "wrong address")
    return `${host} answers, but not as a provider of models does (${check.detail}). Is the address right?`;
  return `${host} cannot be reached: ${check.detail}. Check the network and the address.`;
}

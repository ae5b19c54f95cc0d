import { CommandError, type Reply } from "../../core/command.ts";
import { didYouMean } from "../../text/nearest.ts";

/** The first word, and what follows it. */
export function cut(rest: string): [string | undefined, string] {
  const [, word, after = ""] = /^\s*(\S+)\s*(.*?)\s*$/s.exec(rest) ?? [];
  return [word, after];
}

/** The one word there is. */
export function one(rest: string, usage: string): string {
  const [word, more] = cut(rest);
  if (word === undefined || more !== "") throw new CommandError(`Type ${usage}.`);
  return word;
}

export function alone(after: string, usage: string, run: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  if (after !== "") throw new CommandError(`"${after}" is too much. Type ${usage}.`);
  return run();
}

export const unknown = (command: string, word: string, known: readonly string[], usage: string): CommandError =>
  new CommandError(
    `${word === "" ? `${command} needs a word.` : `${command} ${word} is not known.${didYouMean(word, known)}`} Type ${usage}.`,
  );

/** What could follow: the first word, or the one after it. */
export function words(rest: string, choices: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const [, first = "", gap = ""] = /^\s*(\S*)(\s*)/.exec(rest) ?? [];
  return gap === "" ? (choices[""] ?? []) : (choices[first] ?? []);
}

import type { Answer, Question } from "../core/event.ts";
import { bounded, visible } from "../text/visible.ts";

/** An answer that is offered. Every front end offers these, under these names. */
export interface Choice<T extends string = Answer> {
  readonly answer: T;
  /** What stands on a button or in a list. */
  readonly label: string;
  /** What a person may type. The first word stands in the prompt; an empty word is the Enter key alone. */
  readonly words: readonly string[];
}

const NO = { answer: "no", label: "no", words: ["no", "n", ""] } as const;

const CHOICES: readonly Choice[] = [
  { answer: "once", label: "yes, once", words: ["once", "o", "yes", "y"] },
  { answer: "session", label: "yes, for this session", words: ["session", "s"] },
  { answer: "edits", label: "yes, all edits in this workspace, this session", words: ["edits", "e"] },
  { answer: "always", label: "always", words: ["always", "a"] },
  NO,
];

/** Answers to a question that is no call's: whether to agree, to send, to forget. */
export const YES_OR_NO: readonly Choice<"yes" | "no">[] = [{ answer: "yes", label: "yes", words: ["yes", "y"] }, NO];
export const YES_EDIT_NO: readonly Choice<"yes" | "edit" | "no">[] = [
  ...YES_OR_NO.slice(0, 1),
  { answer: "edit", label: "edit", words: ["edit", "e"] },
  NO,
];

/** A longer rule does not fit on a button. The question shows all of it. */
const LONGEST_RULE = 1000;

/** About the repository around the workspace: no is not the end of the command. */
const ALL_OR_HERE: readonly Choice[] = [
  { answer: "session", label: "yes, all of it, for this session", words: ["yes", "y", "session", "s"] },
  { answer: "no", label: "only here", words: ["here", "h", "only here", "no", "n", ""] },
];

/** "Always" is offered with the rule it would write, and only where there is one; all edits only where one is asked about. */
export function choicesFor({
  always_rule,
  all_edits,
  whole_repository,
}: Pick<Question, "always_rule" | "all_edits" | "whole_repository">): readonly Choice[] {
  if (whole_repository !== undefined) return ALL_OR_HERE;
  const choices = all_edits ? CHOICES : CHOICES.filter(({ answer }) => answer !== "edits");
  if (always_rule === undefined) return choices.filter(({ answer }) => answer !== "always");
  const label = `always: ${visible(bounded(always_rule, LONGEST_RULE))}`;
  return choices.map((choice) => (choice.answer === "always" ? { ...choice, label } : choice));
}

/** `[o]nce, [s]ession, [N]o`: the capital letter is what Enter alone means. */
export const promptWords = (choices: readonly Choice<string>[]): string =>
  choices.map(({ words: [word = "", ...more] }) => `[${more.includes("") ? word[0]!.toUpperCase() : word[0]}]${word.slice(1)}`).join(", ");

/** Null for what is none of the words. */
export const typedAnswer = <T extends string>(typed: string, choices: readonly Choice<T>[]): T | null =>
  choices.find(({ words }) => words.includes(typed.trim().toLowerCase()))?.answer ?? null;

export const pleaseAnswer = (choices: readonly Choice<string>[]): string =>
  `Please answer ${choices.map(({ words }) => words[0]).join(", ")}. Enter alone means ${choices.find(({ words }) => words.includes(""))?.words[0] ?? "no"}.`;

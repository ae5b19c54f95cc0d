import { SHOWN_CALL_ID } from "../core/call-id.ts";
import type { Answered, Confirm, Question } from "../core/event.ts";

/** What the flags of a command answer before a person is asked. */
export interface AnswerFlags {
  /** `--yes`. It lifts no denial, and does not answer whether a command may run without walls, or change all of a repository. */
  readonly yes: boolean;
  /** `--without-walls` answers exactly that. */
  readonly withoutWalls: boolean;
  /** `--later`: nobody is asked now; `zeph answer` takes the answer. */
  readonly later?: boolean;
}

export const readAnswerFlags = (flags: Readonly<Record<string, unknown>>): AnswerFlags => ({
  yes: flags.yes === true,
  withoutWalls: flags.withoutWalls === true,
  ...(flags.later === true && { later: true }),
});

/** Null where the flags do not answer everything that is asked. */
export function answerByFlags(
  { yes, withoutWalls }: Pick<AnswerFlags, "yes" | "withoutWalls">,
  { without_walls, whole_repository }: Question,
): Answered | null {
  if (whole_repository !== undefined) return null;
  if (without_walls !== undefined && !withoutWalls) return null;
  if (without_walls !== "only" && !yes) return null;
  return { answer: "once", by: without_walls === undefined ? "--yes" : flagsFor(without_walls) };
}

const flagsFor = (without: "only" | "too"): string => (without === "only" ? "--without-walls" : "--yes --without-walls");

/** The flags answer first, then the person, if one is there. Empty where nobody ever answers. */
export function confirmWith(flags: AnswerFlags, person: Confirm | undefined = undefined): { readonly confirm?: Confirm } {
  if (!flags.yes && !flags.withoutWalls && !flags.later && !person) return {};
  const confirm: Confirm = (question, context) =>
    answerByFlags(flags, question) ?? (flags.later ? "later" : (person?.(question, context) ?? null));
  ANSWERED_BY.set(confirm, flags.yes ? "flags" : flags.later ? "later" : person ? "person" : "nobody");
  return { confirm };
}

/** Who answers the questions of a call, for the model. */
export type Answerer = "person" | "flags" | "later" | "nobody";
const ANSWERED_BY = new WeakMap<Confirm, Answerer>();

export const whoAnswers = (confirm: Confirm | undefined): Answerer => (confirm ? (ANSWERED_BY.get(confirm) ?? "person") : "nobody");

/** What to type where nobody could be asked. */
export function howToAnswer({
  without_walls: without,
  whole_repository: top,
  wants,
}: Pick<Question, "without_walls" | "whole_repository" | "wants">): string {
  if (top !== undefined)
    return `There is nobody to ask, so commands change this folder only. Start Zeph in ${top}, or set tools.sandbox.outer_repository = "whole" in your own configuration.`;
  if (wants !== undefined) return "There is nobody to ask. Add --yes to say yes, or open the name with tools.sandbox.allow_domains.";
  if (without === undefined) return "There is nobody to ask. Add --yes to say yes, or allow it with a rule under [tools.permissions].";
  return `There is nobody to ask. zeph doctor says how to get walls. ${flagsFor(without)} runs it without them, with all your rights.`;
}

/** What to type where the run waits for an answer from elsewhere. */
export const howToAnswerElsewhere = (question: LaterQuestion): string =>
  `The run waits for an answer. Give it in zeph watch, or with: ${answerCommand(question)}`;

/** What to type when a question was left for later. A call that runs already cannot wait. */
export const howToAnswerLater = (question: LaterQuestion): string =>
  question.wants === undefined
    ? `The question is kept. Answer it with: ${answerCommand(question)}`
    : "A command that runs cannot wait for a later answer.";

type LaterQuestion = Pick<Question, "call_id" | "wants" | "always_rule" | "whole_repository">;

/** `zeph answer 5b2ec995 once|session|always|no`, with the answers that make a difference. */
export function answerCommand({ call_id, always_rule, whole_repository }: LaterQuestion): string {
  const yes = whole_repository === undefined ? ["once", "session", ...(always_rule === undefined ? [] : ["always"])] : ["session"];
  return `zeph answer ${call_id.slice(0, SHOWN_CALL_ID)} ${[...yes, "no"].join("|")}`;
}

import type { Answer } from "../../../../core/event.ts";
import type { Choice } from "../../../../question/answers.ts";
import { plural } from "../../../../text/words.ts";
import type { Theme } from "../theme.ts";
import { wrapLine } from "../width.ts";

/** The key of an answer, and the word beside it. */
export interface AnswerKey {
  readonly key: string;
  readonly answer: Answer;
  readonly word: string;
}

const KEYS: Readonly<Record<Answer, readonly [key: string, word: string]>> = {
  once: ["y", "once"],
  session: ["s", "session"],
  edits: ["f", "all file edits"],
  always: ["a", "always"],
  no: ["n", "no"],
};

/** The keys that answer a question. Where no yes is for once, `y` is the yes there is. */
export function answerKeys(choices: readonly Choice[]): AnswerKey[] {
  const hasOnce = choices.some(({ answer }) => answer === "once");
  return choices.map(({ answer, label }) => {
    const [key, word] = KEYS[answer];
    if (hasOnce) return { key, answer, word };
    return { key: answer === "no" ? "n" : "y", answer, word: label };
  });
}

/** What the keys of a question do at this moment. */
export type QuestionState =
  /** Letters go to what is typed below; Tab turns to the question, of which `left` lines were not on the screen yet. */
  | { readonly kind: "typing"; readonly left: number }
  /** The end of the question was not on the screen yet: `left` lines stand below. Only a no is taken. */
  | { readonly kind: "unread"; readonly left: number }
  /** Enter writes the rule for good. */
  | { readonly kind: "confirming" }
  /** The keys count. */
  | { readonly kind: "armed"; readonly keys: readonly AnswerKey[]; readonly isExplained: boolean };

/** The lines with the keys, below a question, and an empty one before them. */
export function questionKeys(state: QuestionState, width: number, theme: Theme): string[] {
  const { bold, warn, bar, signs } = theme;
  const key = (name: string, text: string) => `${bold(`[${name}]`)} ${text}`;
  const lines = wrapKeys(wordsOf(state, key, theme), Math.max(1, width - 2));
  const shown = state.kind === "confirming" || state.kind === "unread" ? lines.map(warn) : lines;
  return [bar(signs.edge), ...shown.map((line) => `${bar(signs.edge)} ${line}`)];
}

function wordsOf(state: QuestionState, key: (name: string, text: string) => string, { dim, signs }: Theme): string[] {
  switch (state.kind) {
    case "typing":
      return [
        ...(state.left > 0 ? [`${signs.cut} ${plural(state.left, "more line")}`, key("PgDn", "shows them")] : []),
        key("Tab", "to answer"),
        dim("what you type goes on below"),
      ];
    case "unread":
      return [
        `${signs.cut} ${plural(state.left, "more line")}.`,
        key("PgDn", "first: there is more of it"),
        key("n", "no"),
        key("Esc", "stop"),
      ];
    case "confirming":
      return ["Write this rule for good?", key("Enter", "writes it"), key("Esc", "back")];
    case "armed":
      return [
        ...state.keys.map(({ key: name, answer, word }) => key(name, answer === "always" ? `${word}${signs.cut}` : word)),
        key("t", "no, and tell it why"),
        key("e", state.isExplained ? "hide who says so" : "who says so"),
        key("Esc", state.isExplained ? "back" : "stop"),
      ];
  }
}

/** A key and its words stay together, where they fit. */
function wrapKeys(words: readonly string[], width: number): string[] {
  const glued = words.map((text) => text.replaceAll(" ", GLUE)).join("  ");
  return wrapLine(glued, width, { hard: true }).map((line) => line.replaceAll(GLUE, " "));
}
/** Stands for a blank at which no line ends. */
const GLUE = "\u00a0";

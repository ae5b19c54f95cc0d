import { wallsText } from "../../../core/ports/walls.ts";
import { choicesFor } from "../../../question/answers.ts";
import { plural } from "../../../text/words.ts";
import type { AskedQuestion } from "./question-queue.ts";
import type { Theme } from "./theme.ts";
import { questionLines } from "./view/question.ts";
import { answerKeys, type QuestionState, questionKeys } from "./view/question-keys.ts";

/**
 * A question as it stands in the window, below an empty line where there is room: all of it, else a piece. Notes on the question when its end was on the
 * screen. However low the window is, one line of the question stands above its keys: nobody says yes to what was never shown.
 */
export function questionWindow(asked: AskedQuestion, waiting: number, { columns, rows }: Space, theme: Theme): string[] {
  const all = linesOf(asked, waiting, columns, theme);
  const keys = (state: QuestionState) => questionKeys(state, columns, theme);
  const whole = [...all, ...keys(stateOf(asked, 0))];
  if (whole.length < rows) {
    asked.isSeen = true;
    asked.shown = all.length;
    return ["", ...whole];
  }
  const left = (shown: number) => Math.max(0, all.length - shown - asked.top);
  const below = keys(stateOf(asked, asked.isSeen ? 0 : all.length));
  const isLow = rows < below.length + LEAST_LINES;
  const shown = isLow ? Math.max(1, rows - below.length + 1) : rows - 1 - below.length - (asked.isSeen ? 1 : 0);
  asked.top = Math.max(0, Math.min(asked.top, all.length - shown));
  asked.shown = shown;
  if (!asked.isSeen && left(shown) === 0) {
    asked.isSeen = true;
    // Its answers may take more rows: its end stays above them.
    asked.top = all.length;
    return questionWindow(asked, waiting, { columns, rows }, theme);
  }
  const lines = all.slice(asked.top, asked.top + shown);
  const now = keys(stateOf(asked, asked.isSeen ? 0 : left(shown)));
  if (isLow) return [...lines, ...now.slice(1, 1 + Math.max(0, rows - shown))];
  const { bar, dim, signs } = theme;
  const more = left(shown) > 0 ? dim(`${signs.cut} ${plural(left(shown), "more line")}, PgDn`) : "";
  // Before its end was seen the keys say so.
  return ["", ...lines, ...(asked.isSeen ? [`${bar(signs.edge)} ${more}`.trimEnd()] : []), ...now];
}

/** So many lines of a question leave room for empty lines around it. */
const LEAST_LINES = 4;

/** Laying out a long question takes a while, and it is drawn with every key. */
const laid = new WeakMap<AskedQuestion, { readonly of: readonly unknown[]; readonly lines: readonly string[] }>();

function linesOf(asked: AskedQuestion, waiting: number, columns: number, theme: Theme): readonly string[] {
  const { question, gates } = asked;
  const of = [waiting, columns, gates, theme];
  const before = laid.get(asked);
  if (before && of.every((one, n) => one === before.of[n])) return before.lines;
  const walls = question.walls && { walls: wallsText(question.walls) };
  const lines = questionLines({ question, waiting, ...walls, ...(gates && { gates }) }, columns, theme);
  laid.set(asked, { of, lines });
  return lines;
}

export interface Space {
  readonly columns: number;
  readonly rows: number;
}

function stateOf(asked: AskedQuestion, left: number): QuestionState {
  if (asked.state === "typing") return { kind: "typing", left };
  if (asked.isConfirming) return { kind: "confirming" };
  if (left > 0) return { kind: "unread", left };
  return { kind: "armed", keys: answerKeys(choicesFor(asked.question)), isExplained: asked.gates !== null };
}

import { wallsText } from "../../../core/ports/walls.ts";
import { choicesFor } from "../../../question/answers.ts";
import { plural } from "../../../text/words.ts";
import type { AskedQuestion } from "./question-queue.ts";
import type { Theme } from "./theme.ts";
import { questionLines } from "./view/question.ts";
import { answerKeys, type QuestionState, questionKeys } from "./view/question-keys.ts";

/** A question as it stands in the window: all of it where there is room, else a piece. Notes on the question when its end was on the screen. */
export function questionWindow(asked: AskedQuestion, waiting: number, space: Space, theme: Theme): string[] {
  const { columns, rows } = space;
  const { question, gates } = asked;
  const walls = question.walls && { walls: wallsText(question.walls) };
  const all = questionLines({ question, waiting, ...walls, ...(gates && { gates }) }, columns, theme);
  const keys = (state: QuestionState) => questionKeys(state, columns, theme);
  const isWhole = all.length + keys(stateOf(asked, 0)).length <= rows;
  if (isWhole) {
    asked.isSeen = true;
    return [...all, ...keys(stateOf(asked, 0))];
  }
  const { bar, dim, signs } = theme;
  const below = keys(stateOf(asked, asked.isSeen ? 0 : all.length));
  const room = Math.max(1, rows - below.length - (asked.isSeen ? 1 : 0));
  asked.top = Math.max(0, Math.min(asked.top, all.length - room));
  const left = all.length - room - asked.top;
  const wasSeen = asked.isSeen;
  if (left <= 0) asked.isSeen = true;
  // Before its end was seen the keys say so.
  const more = wasSeen ? [`${bar(signs.edge)} ${left > 0 ? dim(`${signs.cut} ${plural(left, "more line")}, PgDn`) : ""}`.trimEnd()] : [];
  return [...all.slice(asked.top, asked.top + room), ...more, ...keys(stateOf(asked, asked.isSeen ? 0 : left))];
}

export interface Space {
  readonly columns: number;
  readonly rows: number;
}

function stateOf(asked: AskedQuestion, left: number): QuestionState {
  if (asked.state === "typing") return { kind: "typing" };
  if (asked.isConfirming) return { kind: "confirming" };
  if (left > 0) return { kind: "unread", left };
  return { kind: "armed", keys: answerKeys(choicesFor(asked.question)), isExplained: asked.gates !== null };
}

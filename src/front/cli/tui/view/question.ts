import type { Question } from "../../../../core/event.ts";
import { answerMeaning } from "../../../../question/meaning.ts";
import { type QuestionRow, viewQuestion } from "../../../../question/question.ts";
import { type GateView, viewLines } from "../../../../runtime/rules/gate-views.ts";
import { oneLine } from "../../../../text/visible.ts";
import { plural } from "../../../../text/words.ts";
import type { Theme } from "../theme.ts";
import { columnsOfLine, foldLine, padLine, wrapLine } from "../width.ts";
import { diffLines, foldMarked } from "./diff.ts";
import { rowLines, shownText } from "./shown-text.ts";

/** A question, and what else is known about it. */
export interface ShownQuestion {
  readonly question: Question;
  /** How many questions wait behind it. */
  readonly waiting: number;
  /** The walls the command would run in, in words; absent for what is no command. */
  readonly walls?: string;
  /** What every gate says, once the person has asked for it. */
  readonly gates?: readonly GateView[];
}

/** The argument that says most about a call stands alone, above the others. */
const TELLING = ["path", "url", "query", "pattern"];
const LEAST_NAMES = 9;
const MOST_NAMES = 16;

/** The whole question, nothing shortened, without the line of its keys. */
export function questionLines({ question, waiting, walls, gates }: ShownQuestion, width: number, theme: Theme): string[] {
  const { warn, bold, dim, accent } = theme;
  const room = Math.max(1, width - 2);
  const view = viewQuestion(question);
  if ("tooLong" in view) return edged(wrapLine(warn(shownText(view.tooLong)), room, { hard: true }), theme);
  const given = view.rows.filter(({ part }) => part === "argument");
  const telling = given.find(({ isCommand }) => isCommand) ?? given.find(({ name }) => TELLING.includes(name));
  const change = view.rows.find(({ part }) => part === "change");
  const touches = view.rows.find(({ part }) => part === "touches");
  const others = given.filter((row) => row !== telling);
  const answers = view.choices.flatMap(({ answer }): [string, string][] => {
    const meaning = answerMeaning(answer, question);
    return meaning === null ? [] : [[answer, meaning]];
  });
  const names = [...others.map(({ name }) => name), ...answers.map(([name]) => name)];
  const columns = Math.min(MOST_NAMES, Math.max(LEAST_NAMES, ...names.map(columnsOfLine)));
  const say = (name: string, text: string) => rowLines(name, shownText(text), room, columns, accent);
  const after = waiting > 0 ? dim(` (${waiting} more after it)`) : "";
  const [said, tool] = [oneLine(shownText(view.heading)), oneLine(shownText(view.tool))];
  const heading = said.startsWith(`${tool} `) ? bold(tool) + said.slice(tool.length) : bold(said);
  return edged(
    [
      ...wrapLine(`${warn("Question")}${after}  ${heading}`, room, { hard: true }),
      ...(telling ? ["", ...foldedText(telling.text, room - 2, theme).map((line) => `  ${bold(line)}`), ""] : [""]),
      ...(change ? [...diffLines(change.text, room - 2, theme, { long: "fold" }).map((line) => `  ${line}`), ""] : []),
      ...others.flatMap((one) => callerRow(one, room, columns, theme)),
      ...view.why.flatMap((reason, n) => say(n === 0 ? "why" : "", reason)),
      ...(touches ? touchLines(touches, room, columns, theme) : []),
      ...(walls === undefined ? [] : say("walls", walls)),
      ...answers.flatMap(([name, meaning]) => say(name, meaning)),
      ...(gates === undefined ? [] : ["", ...gateLines(gates, room, theme)]),
    ],
    theme,
  );
}

const edged = (lines: readonly string[], { bar, signs: { edge } }: Theme): string[] =>
  lines.map((line) => (line === "" ? bar(edge) : `${bar(edge)} ${line}`));

/** Every line of a text that was not written by us. */
const foldedText = (text: string, width: number, theme: Theme): string[] =>
  shownText(text)
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => foldMarked(line, width, theme));

/** Space at the edges of a text counts, so it stands in a block where it can be seen. */
function callerRow({ name, text }: QuestionRow, width: number, columns: number, theme: Theme): string[] {
  const { accent, dim, signs } = theme;
  const label = foldLine(shownText(name), width).map(accent);
  const isShort = text === text.trim() && !text.includes("\n") && columnsOfLine(name) <= columns;
  if (isShort && columnsOfLine(text) <= width - columns - 1) return [`${accent(padLine(shownText(name), columns))} ${shownText(text)}`];
  return [...label, ...foldedText(text, width - 4, theme).map((line) => `  ${dim(signs.pipe)} ${line}`)];
}

function touchLines({ text }: QuestionRow, width: number, columns: number, { accent }: Theme): string[] {
  return text.split("\n").flatMap((line, n) => rowLines(n === 0 ? "touches" : "", shownText(line), width, columns, accent));
}

/** What each of those who decide says. */
export function gateLines(gates: readonly GateView[], width: number, { dim, warn, bad }: Theme): string[] {
  const paint = { pass: dim, off: dim, "not asked": dim, ask: warn, deny: bad } as const;
  const said = viewLines(gates).flatMap(({ text, kind }) => wrapLine(paint[kind](shownText(text)), width, { hang: "    ", hard: true }));
  return [...wrapLine(`${plural(gates.length, "gate")}, in the order they are asked`, width, { hard: true }), ...said];
}

import type { Question } from "../core/event.ts";
import type { Walls } from "../core/ports/walls.ts";
import type { Touch } from "../core/touch.ts";
import { oneLine, visible } from "../text/visible.ts";
import { type Choice, choicesFor } from "./answers.ts";
import { answerMeaning } from "./meaning.ts";

/** A question as a person is shown it: all of what a yes would allow. Front ends draw it and leave nothing out. */
export interface QuestionView {
  readonly tool: string;
  /** What is asked, in a sentence. */
  readonly heading: string;
  /** The call was let in and runs: a no does not end it. */
  readonly isUnderWay: boolean;
  readonly why: readonly string[];
  readonly rows: readonly QuestionRow[];
  readonly choices: readonly Choice[];
}

export interface QuestionRow {
  readonly name: string;
  readonly text: string;
  /** The caller's text is shown as it was written. Zeph's own words may be wrapped. */
  readonly by: "caller" | "zeph";
  readonly part: "argument" | "change" | "touches" | "walls" | "always";
  /** The row is a command of a shell. */
  readonly isCommand?: true;
  /** The row is a unified diff. */
  readonly isDiff?: true;
}

/** A question that nobody is asked, and why. */
export interface QuestionTooLong {
  readonly tooLong: string;
}

/** What is left out of a question could be what matters, so a longer one is not put, in no front end. */
const LONGEST_QUESTION = 200_000;

export function viewQuestion(question: Question): QuestionView | QuestionTooLong {
  const { args, why } = question;
  const tool = visible(question.tool);
  const given = argumentRows(args);
  const size = [...why, ...given.map(({ text }) => text)].reduce((sum, text) => sum + text.length, 0);
  if (size > LONGEST_QUESTION) return { tooLong: tooLongText(tool, size) };
  const change = changeRow(question);
  const isTold = ({ name }: QuestionRow) => change.length > 0 && question.preview_whole === true && CHANGED_TEXTS.includes(name);
  const rows = [
    ...given.filter((row) => !isTold(row)),
    ...change,
    ...touchRows(question.touches),
    ...wallsRow(question),
    ...alwaysRow(question),
  ];
  const heading = question.wants === undefined ? `${tool} needs a yes.` : oneLine(visible(question.wants));
  return { tool, heading, isUnderWay: question.wants !== undefined, why: why.map(visible), rows, choices: choicesFor(question) };
}

const tooLongText = (tool: string, size: number): string =>
  `${tool} needs a yes, and nobody was asked: its question has ${size} characters, and only what can be shown whole is asked about (${LONGEST_QUESTION} at most). The call was not made. Make it smaller: write a long text to a file in several steps.`;

function argumentRows(args: unknown): QuestionRow[] {
  const given = typeof args === "object" && args !== null ? Object.entries(args) : [["arguments", args] as const];
  return given.map(([name, value]) => ({
    name: visible(name),
    text: visible(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")),
    by: "caller",
    part: "argument",
    ...(name === "command" && typeof value === "string" && { isCommand: true }),
  }));
}

/** Arguments of `write` and `edit` that a whole diff tells. */
export const CHANGED_TEXTS: readonly string[] = ["content", "old_string", "new_string"];

/** A new file is its content, and that is shown as it is. */
const changeRow = ({ preview }: Question): QuestionRow[] =>
  preview === undefined || preview.startsWith("--- /dev/null")
    ? []
    : [{ name: "change", text: visible(preview), by: "caller", part: "change", isDiff: true }];

/** One place is told in Zeph's words. Commands, and many places, stand each on a line. */
function touchRows(touches: readonly Touch[]): QuestionRow[] {
  if (touches.length === 0) return [];
  const isOnePlace = touches.length === 1 && touches[0]!.kind !== "command";
  return [{ name: "touches", text: visible(touches.map(touchText).join("\n")), by: isOnePlace ? "zeph" : "caller", part: "touches" }];
}

/** Nothing is said where the question is about missing walls: it says so itself. */
const wallsRow = ({ walls, without_walls }: Question): QuestionRow[] =>
  walls === undefined || without_walls !== undefined
    ? []
    : [{ name: "walls", text: visible(briefWalls(walls)), by: "zeph", part: "walls" }];

const briefWalls = ({ backend, network }: Walls): string =>
  backend === "none" ? "none: the command has all your rights" : `${backend}, network ${network}`;

function alwaysRow(question: Question): QuestionRow[] {
  const text = answerMeaning("always", question);
  return text === null ? [] : [{ name: "always", text, by: "zeph", part: "always" }];
}

/** What a call would do to one place, after "would". */
export function touchText(touch: Touch): string {
  if (touch.kind === "path") return `${touch.access} ${touch.path}${touch.tree ? " and everything below" : ""}`;
  if (touch.kind === "command") return `run ${touch.text}`;
  return touch.kind === "url" ? `reach ${touch.url}` : `do what is not known beforehand: ${touch.why}`;
}

import { bounded, oneLine, visible } from "../../../../text/visible.ts";
import { duration } from "../../../../text/words.ts";
import { elapsed } from "../../terminal/spinner.ts";
import type { Paint, Signs, Theme } from "../theme.ts";
import { columnsOfLine, cutLine, padLine, wrapLine } from "../width.ts";

const TAB = "    ";
/** No window is so wide; a longer text on one line is cut before it is measured. */
const LONGEST_LINE = 600;

/** Text of a model, a tool or a file: nothing in it moves the cursor. Line ends stay, tabs are blanks. */
export const shownText = (text: string): string => visible(text).replaceAll("\t", TAB);

/** The same on one line, with a sign where a line ended. */
export const shownLine = (text: string, { line }: Signs): string =>
  oneLine(
    visible(bounded(text, LONGEST_LINE))
      .trim()
      .replace(/\s*\n\s*/g, ` ${line} `),
  );

/** `640`, `2.5k`, `36k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** `640 B`, `2.5 kB`, `36 kB`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  const text = shortCount(bytes);
  return /\d$/.test(text) ? `${text} B` : `${text.slice(0, -1)} ${text.at(-1)}B`;
}

/** `17 ms`, `2.3 s`, and from a minute on `4 min 10 s`. */
export const timeTaken = (ms: number): string => (ms < 59_950 ? duration(ms) : elapsed(ms));

/** The share in whole percent; nothing of nothing is none. */
export const percent = (part: number, whole: number): number => (whole > 0 ? Math.round((100 * part) / whole) : 0);

/** The first of a list and a word about the others. */
export function fewOf(all: readonly string[], most: number, between: string): string {
  const left = all.length - most;
  return [...all.slice(0, most), ...(left > 0 ? [`and ${left} more`] : [])].join(between);
}

/** A line across the window, with words at its left and right. What does not fit is left out, the right first. */
export function ruleLine(width: number, theme: Theme, left = "", right = ""): string {
  const { rule, cut } = theme.signs;
  const begin = left === "" ? "" : `${rule}${rule} ${cutLine(left, Math.max(1, width - 5), cut)} `;
  const end = right === "" ? "" : ` ${right} ${rule}${rule}`;
  const room = width - columnsOfLine(begin) - columnsOfLine(end);
  if (room < 1 && end !== "") return ruleLine(width, theme, left);
  return theme.dim(cutLine(begin + rule.repeat(Math.max(0, room)) + end, width, cut));
}

/** A name and a text beside it, which goes on below itself. */
export function rowLines(name: string, text: string, width: number, columns: number, paint: Paint): string[] {
  const room = Math.max(1, width - columns - 1);
  return wrapLine(text, room, { hard: true }).map((line, n) => `${n === 0 ? paint(padLine(name, columns)) : " ".repeat(columns)} ${line}`);
}

/** The theme as the line chat's parts call its colours. */
export const colorsOf = ({
  bold,
  dim,
  accent,
  good,
  bad,
  warn,
}: Theme): Readonly<Record<"bold" | "dim" | "cyan" | "green" | "red" | "yellow", Paint>> => ({
  bold,
  dim,
  cyan: accent,
  green: good,
  red: bad,
  yellow: warn,
});

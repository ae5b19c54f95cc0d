import { isBlank, type Line, standFor } from "../line.ts";

/** A line of this length, or so many lines in a row, are worth to be pointed at instead of said again. */
const LONG_LINE = 80;
const FEWEST_LINES = 3;
const LEAST_TEXT = 100;
/** What a reader finds the place by. */
const FIRST_WORDS = 40;

/** Blocks and long lines that were said before: `(as above, 5 lines: first words…)`. A single line that looks like an error stays. */
export function pointToRepeated(lines: readonly Line[]): readonly Line[] {
  const firstAt = new Map<string, number>();
  const beginnings = new Map<string, string>();
  const isShown = new Uint8Array(lines.length);
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const { text } = lines[at]!;
    const before = isBlank(lines[at]!) ? undefined : firstAt.get(text);
    // Where two lines begin alike, their first words point at neither.
    const isClear = before !== undefined && beginnings.get(firstWords(text)) === text;
    const length = isClear ? sameFrom(lines, before, at, isShown) : 0;
    const pointer = length > 0 ? (pointToBlock(lines.slice(at, at + length)) ?? pointToLine(lines[at]!)) : null;
    if (pointer) {
      shown.push(pointer.line);
      at += pointer.length;
      continue;
    }
    if (before === undefined) firstAt.set(text, at);
    const beginning = firstWords(text);
    beginnings.set(beginning, (beginnings.get(beginning) ?? text) === text ? text : "");
    isShown[at] = 1;
    shown.push(lines[at++]!);
  }
  return shown.length < lines.length || shown.some((line, at) => line !== lines[at]) ? shown : lines;
}

/** How many lines from here on were said before in the same order, and can be read there. Blank ones at the end are not part of it. */
function sameFrom(lines: readonly Line[], before: number, at: number, isShown: Uint8Array): number {
  let length = 0;
  while (
    at + length < lines.length &&
    before + length < at &&
    isShown[before + length] &&
    lines[before + length]!.text === lines[at + length]!.text
  )
    length++;
  while (length > 0 && isBlank(lines[at + length - 1]!)) length--;
  return length;
}

interface Pointer {
  readonly line: Line;
  readonly length: number;
}

function pointToBlock(block: readonly Line[]): Pointer | null {
  const said = block.filter((line) => !isBlank(line));
  const size = said.reduce((sum, { text }) => sum + text.trim().length, 0);
  if (said.length < FEWEST_LINES || size < LEAST_TEXT) return null;
  return { line: standFor(`(as above, ${said.length} lines: ${firstWords(said[0]!.text)})`, block), length: block.length };
}

function pointToLine(line: Line): Pointer | null {
  const { text, errors } = line;
  if (errors > 0 || text.trim().length < LONG_LINE) return null;
  return { line: standFor(`${/^\s*/.exec(text)![0]}(as above: ${firstWords(text)})`, [line]), length: 1 };
}

function firstWords(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= FIRST_WORDS) return trimmed;
  const end = trimmed.lastIndexOf(" ", FIRST_WORDS);
  return `${trimmed.slice(0, end < FIRST_WORDS / 2 ? FIRST_WORDS : end)}…`;
}

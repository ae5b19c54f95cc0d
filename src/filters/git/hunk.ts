import type { Line } from "../line.ts";
import { heading, standFor } from "../line.ts";

/** A passage of a diff: where it begins in the new file, and its lines with their marks. */
export interface Hunk {
  readonly head: Line;
  /** Marks before each line: one, and one more for each further parent of a merge. */
  readonly columns: number;
  readonly start: number;
  /** How many lines of the new file it says it has. Runs of blank ones may have been made one. */
  readonly length: number;
  /** The function or heading it is in, as git found it. */
  readonly section: string;
  readonly lines: readonly Line[];
  /** Nothing follows it: it may have been cut off. */
  readonly isLast: boolean;
}

const HEAD = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: ?(.*))?$/;
const COMBINED = /^(@{3,20})(?: -\d+(?:,\d+)?){2,19} \+(\d+)(?:,(\d+))? @{3,20}(?: ?(.*))?$/;
/** What cannot be inside a hunk, whatever its counts say. */
const NEXT = /^(?:diff --|@@|commit [0-9a-f]{7}|index [0-9a-f]{4})/;

export function readHunk(lines: readonly Line[], at: number): { hunk: Hunk; next: number } | null {
  const head = lines[at]!;
  const plain = HEAD.exec(head.text);
  if (plain) {
    const [, before = "1", start, length = "1", section = ""] = plain;
    return ending(plainEnd(lines, at + 1, Number(before), Number(length)), { columns: 1, start, length, section });
  }
  const combined = COMBINED.exec(head.text);
  if (!combined) return null;
  const [, ats = "", start, length = "1", section = ""] = combined;
  const columns = ats.length - 1;
  return ending(combinedEnd(lines, at + 1, columns, Number(length)), { columns, start, length, section });

  function ending(
    next: number,
    { columns, start, length, section }: { columns: number; start: string | undefined; length: string; section: string },
  ) {
    const isLast = next === lines.length;
    return {
      hunk: { head, columns, start: Number(start), length: Number(length), section, lines: lines.slice(at + 1, next), isLast },
      next,
    };
  }
}

const [PLUS, MINUS, SPACE, BACKSLASH] = [43, 45, 32, 92];

/** A hunk is never longer than it says, so that it swallows nothing that comes after it. */
function plainEnd(lines: readonly Line[], from: number, before: number, after: number): number {
  let [old, fresh] = [before, after];
  let at = from;
  for (; at < lines.length; at++) {
    const { text } = lines[at]!;
    const mark = text === "" ? SPACE : text.charCodeAt(0);
    if (mark === PLUS && fresh > 0) fresh--;
    else if (mark === MINUS && old > 0) old--;
    else if (mark === SPACE && old > 0 && fresh > 0) {
      old--;
      fresh--;
    } else if (mark !== BACKSLASH && !(old + fresh > 0 && isBetween(lines, at))) break;
  }
  return at;
}

/** With several parents the lines of the new file tell where the hunk ends; removed lines may follow them. */
function combinedEnd(lines: readonly Line[], from: number, columns: number, after: number): number {
  let fresh = after;
  let at = from;
  for (; at < lines.length; at++) {
    const { text } = lines[at]!;
    const isMarked = text === "" || hasMarks(text, columns);
    if (!isMarked && !isBetween(lines, at)) break;
    if (!isMarked || text.startsWith("\\ ") || markOf(lines[at]!, columns) === "removed") continue;
    if (fresh === 0) break;
    fresh--;
  }
  return at;
}

function hasMarks(text: string, columns: number): boolean {
  for (let at = 0; at < columns; at++) if (!" +-".includes(text[at] ?? "x")) return text.startsWith("\\ ");
  return true;
}

/** A line from elsewhere that came between two lines of a hunk. */
const isBetween = (lines: readonly Line[], at: number): boolean =>
  !/^[ +-]/.test(lines[at]!.text) && !NEXT.test(lines[at]!.text) && /^(?:[ +\\-]|$)/.test(lines[at + 1]?.text ?? "x");

type Mark = "added" | "removed" | "same" | "stray";

export function markOf({ text }: Line, columns: number): Mark {
  if (columns === 1) {
    const mark = text === "" ? SPACE : text.charCodeAt(0);
    return mark === PLUS ? "added" : mark === MINUS ? "removed" : mark === SPACE ? "same" : "stray";
  }
  const marks = text.slice(0, columns);
  return marks.includes("+") ? "added" : marks.includes("-") ? "removed" : marks.trim() === "" ? "same" : "stray";
}

/**
 * The hunk with so many lines of context around each change. Where lines in between are left out it goes on under a new head.
 * A hunk with strays in it is not what it seems, and stays whole.
 */
export function shownHunk(hunk: Hunk, context: number): Line[] {
  const { head, lines, columns } = hunk;
  const marks = lines.map((line) => markOf(line, columns));
  const isOdd = marks.some((mark, n) => mark === "stray" && !lines[n]!.text.startsWith("\\ "));
  const kept = isOdd ? marks.map(() => true) : near(lines, marks, context);
  const numbers = lineNumbers(hunk, marks);
  const shown: Line[] = [];
  let open = false;
  for (let n = 0; n < lines.length; n++) {
    if (kept[n]) {
      if (!open) shown.push(shown.length === 0 ? standFor(headText(hunk, numbers[n]), [head]) : heading(headText(hunk, numbers[n])));
      shown.push(lines[n]!);
    }
    open = kept[n]!;
  }
  return shown.length > 0 ? shown : [standFor(headText(hunk, hunk.start), [head])];
}

/** Among the lines shown of a hunk. */
export const isStray = ({ text }: Line): boolean => text !== "" && !/^(?:[ +-]|\\ |@@)/.test(text);
export const isHunkHead = ({ text }: Line): boolean => text.startsWith("@@");

const headText = ({ section }: Hunk, line: number | undefined): string =>
  ["@@", ...(line === undefined ? [] : [String(line)]), ...(section === "" ? [] : [section])].join(" ");

/** Which lines are changes, or so near to one. Blank lines at the edge show nothing. */
function near(lines: readonly Line[], marks: readonly Mark[], context: number): boolean[] {
  const kept = marks.map((mark) => mark !== "same");
  const around = (order: readonly number[]) => {
    let last = Number.POSITIVE_INFINITY;
    for (const n of order) {
      last = marks[n] === "same" ? last + 1 : 0;
      if (last <= context && lines[n]!.text.trim() !== "") kept[n] = true;
    }
  };
  const forth = marks.map((_, n) => n);
  around(forth);
  around(forth.toReversed());
  // A new head would cost more than the one line it saves.
  for (let n = 1; n < marks.length - 1; n++) if (!kept[n] && kept[n - 1] && kept[n + 1]) kept[n] = true;
  return kept;
}

/** In the new file. Runs of blank lines may have been made one: where that leaves the number open, there is none. */
function lineNumbers({ start, length, lines, isLast }: Hunk, marks: readonly Mark[]): (number | undefined)[] {
  const counts = (n: number): boolean => marks[n] === "added" || marks[n] === "same";
  const seen = marks.reduce((sum, _, n) => sum + (counts(n) ? 1 : 0), 0);
  const firstBlank = seen === length ? lines.length : lines.findIndex(({ text }) => text === "");
  const lastBlank = seen === length ? -1 : isLast ? lines.length : lines.findLastIndex(({ text }) => text === "");
  let before = 0;
  return marks.map((_, n) => {
    const [fromStart, fromEnd] = [start + before, start + length - seen + before];
    if (counts(n)) before++;
    return n <= firstBlank || firstBlank === -1 ? fromStart : n > lastBlank ? fromEnd : undefined;
  });
}

/** Where the first change is. */
export function changedAt(hunk: Hunk): number | undefined {
  const marks = hunk.lines.map((line) => markOf(line, hunk.columns));
  return lineNumbers(hunk, marks)[marks.findIndex((mark) => mark !== "same")];
}

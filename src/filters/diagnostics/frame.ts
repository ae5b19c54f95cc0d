import { endOfRun } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import { textAt } from "./diagnostic.ts";

/** What stands below the first line of a diagnostic. */
export interface Below {
  /** The message goes on: all of it is kept. */
  readonly more: readonly Line[];
  readonly source: string;
  /** How far right of the first character of the source the caret stands. */
  readonly caret?: number;
  readonly drawn: readonly Line[];
  readonly end: number;
}

/** `   12 | text`, `      |  ^~~`, `  +++ |+#include`: a line with a margin. */
const MARGIN = /^ {0,12}(?:\d{1,7}|\+{3})? {0,8}[|│](?:[ +]|$)/;
const NUMBERED = /^ {0,12}\d{1,7} {0,8}[|│] ?(.*)$/;
const CARET = /^[\s|]*[~^][\s~^|-]*$/;
const FOOT = /^\s{1,12}= (?:help|note|info): /;
const MOST_LINES = 12;

export const hasMargin = (text: string): boolean => MARGIN.test(text);
export const isCaret = (text: string): boolean => CARET.test(text);

/** `isHead` tells where the next diagnostic begins. */
export function readBelow(lines: readonly Line[], at: number, isHead: (text: string) => boolean): Below {
  if (hasMargin(textAt(lines, at))) return framed(lines, at);
  const caret = caretBelow(lines, at, isHead);
  if (caret > at) return pointed(lines, at, caret, isHead);
  const end = indentedEnd(lines, at, depthOf(textAt(lines, at - 1)), isHead);
  return { more: lines.slice(at, end), source: "", drawn: [], end };
}

/** A frame with a margin, as gcc and rustc draw it. */
function framed(lines: readonly Line[], at: number): Below {
  const frame = frameEnd(lines, at);
  // gcc 15 lists its candidates below, each with a place and a frame of its own.
  const end = CANDIDATES.test(textAt(lines, frame)) ? endOfRun(lines, frame, ({ text }) => /^ {2,}\S/.test(text)) : frame;
  return { more: [], source: markedSource(lines.slice(at, frame)), drawn: lines.slice(at, end), end };
}

const CANDIDATES = /^ {2,8}• there (?:is|are) \d{1,5} candidates?\b/;

export function frameEnd(lines: readonly Line[], at: number): number {
  return endOfRun(lines, at, ({ text }) => hasMargin(text) || FOOT.test(text));
}

/** The line above the first mark. */
export function markedSource(frame: readonly Line[]): string {
  const mark = frame.findIndex(({ text }) => /^ {0,12}[|│] *[\s|]*[~^]/.test(text));
  const source = mark > 0 ? NUMBERED.exec(frame[mark - 1]!.text) : null;
  return source?.[1]?.trim() ?? "";
}

/** A source line and a line of carets: clang, javac, mypy, flake8. Lines before the source belong to the message. */
function pointed(lines: readonly Line[], at: number, caret: number, isHead: (text: string) => boolean): Below {
  const source = lines[caret - 1]!;
  let end = caret + 1;
  if (isFixIt(lines[end])) end++;
  const last = indentedEnd(lines, end, depthOf(textAt(lines, at - 1)), isHead);
  // Without a margin nothing proves that it is source text: what looks like an error is said.
  const said = source.errors > 0 ? [source] : [];
  const more = [...lines.slice(at, caret - 1), ...said, ...lines.slice(end, last)];
  const drawn = [...(source.errors > 0 ? [] : [source]), ...lines.slice(caret, end)];
  const right = textAt(lines, caret).search(/[~^]/) - source.text.search(/\S/);
  return { more, source: source.errors > 0 ? "" : source.text.trim(), caret: right, drawn, end: last };
}

function caretBelow(lines: readonly Line[], at: number, isHead: (text: string) => boolean): number {
  let caret = at;
  while (caret < at + 6 && textAt(lines, caret) !== "" && !isCaret(textAt(lines, caret))) caret++;
  if (!isCaret(textAt(lines, caret))) return -1;
  return lines.slice(at, caret).some(({ text }) => isHead(text)) ? -1 : caret;
}

/** What clang would put there, below the caret: `              ==`. */
function isFixIt(line: Line | undefined): boolean {
  return line !== undefined && line.errors === 0 && /^\s+\S.{0,80}$/.test(line.text) && !DETAIL.test(line.text);
}

const DETAIL = /^\s+(?:\w[\w ]{0,30}:\s|[a-z]{3,} [a-z]{2,} )/;

/** Lines that are indented deeper than the head. */
function indentedEnd(lines: readonly Line[], at: number, depth: number, isHead: (text: string) => boolean): number {
  return endOfRun(lines, at, ({ text }, end) => end < at + MOST_LINES && depthOf(text) > depth && !isHead(text));
}

/** A single space is no indentation. */
function depthOf(text: string): number {
  const depth = text.search(/\S/);
  return text.startsWith("\t") ? 100 : depth < 2 ? 0 : depth;
}

/** A message in one line. */
export function joinMessage(message: string, more: readonly Line[]): string {
  if (more.length === 0 && !message.includes("  ")) return message;
  const text = [message, ...more.map((line) => line.text.trim())].join(" ").replace(/ {2,}/g, " ").trim();
  return text.replace(/^cannot find symbol symbol: (.{1,300}?) location: /, "cannot find symbol: $1 in ");
}

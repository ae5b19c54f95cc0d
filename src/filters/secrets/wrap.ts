import { stick } from "./assignments.ts";
import { isWordy } from "./judge.ts";

/** A match that may go on over line ends: where it ends in the text, and its value without them. */
export interface Unwrapped {
  readonly end: number;
  readonly value: string;
}

/** A terminal of this width or more wraps lines. */
const NARROW = 40;
const MAX_LINES = 64;
const REST_OF_LINE = /[^\s"'`<>]{0,4096}(?=\r?\n)/y;
const NEXT_LINE = /\r?\n[ \t]{0,40}([A-Za-z0-9_\-.+/=~%]{1,4096})/y;

/**
 * What a sticky pattern matches at a place, also when a terminal broke the value: a newline, perhaps with indentation. A line is taken to
 * go on only where the pattern says so: the value is not whole without the next line, or it runs to the end of a full line and the next
 * one starts with more of the same.
 */
export function unwrapped(text: string, at: number, pattern: RegExp): Unwrapped | null {
  const here = stick(pattern, text, at);
  const value = here?.[0] ?? "";
  if (here && !isLineEnd(text, at + value.length)) return { end: at + value.length, value };
  const line = stick(REST_OF_LINE, text, at)?.[0];
  if (line === undefined || (here && line.length > value.length)) return here && { end: at + value.length, value };
  return goOn(text, at, line, pattern, here ? { end: at + value.length, value } : null);
}

function goOn(text: string, at: number, line: string, pattern: RegExp, whole: Unwrapped | null): Unwrapped | null {
  let best = whole;
  let joined = line;
  let end = at + line.length;
  for (let lines = 1; lines < MAX_LINES; lines++) {
    const next = stick(NEXT_LINE, text, end);
    if (!next) return best;
    const more = next[1]!;
    const match = stick(pattern, joined + more, 0)?.[0];
    const takes = match === undefined ? 0 : match.length - joined.length;
    if (best ? takes <= 0 || !isFull(text, end) || isWordy(more.slice(0, takes)) : match !== undefined && !proves(more, takes)) return best;
    joined += more;
    end += next[0].length;
    if (match !== undefined && takes > 0) best = { end: end - (more.length - takes), value: match };
    if (!isLineEnd(text, end) || (best && takes < more.length)) return best;
  }
  return best;
}

/** The pattern ends inside the next line, or takes all of a line that is no word. */
const proves = (more: string, takes: number): boolean => takes > 0 && (takes < more.length || !isWordy(more) || more.length < 4);

function isFull(text: string, lineEnd: number): boolean {
  const start = Math.max(0, lineEnd - NARROW);
  return lineEnd - start === NARROW && !text.slice(start, lineEnd).includes("\n");
}

const isLineEnd = (text: string, at: number): boolean => text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n");

import { matchAt } from "../match-at.ts";
import { isWordy } from "../randomness.ts";

/** A match that may go on over line ends: where it ends in the text, and its value without them. */
export interface Unwrapped {
  readonly end: number;
  readonly value: string;
}

/** A line of this width may have been wrapped by a terminal. */
const NARROW = 72;
/** What is not whole after so many lines will not be. */
const MAX_INCOMPLETE = 3;
const MAX_LINES = 64;
/** No terminal is wider. */
const REST_OF_LINE = /[^\s"'`<>]{0,300}(?=\r?\n)/y;
const NEXT_LINE = /\r?\n[ \t]{0,40}([A-Za-z0-9_\-.+/=~%]{1,300})/y;

/**
 * What a sticky pattern matches at a place, also when a terminal broke the value: a newline, perhaps with indentation. A line is taken to
 * go on only where the pattern says so: the value is not whole without the next line, or it runs to the end of a full line and the next
 * one starts with more that is no word.
 */
export function unwrapped(text: string, at: number, pattern: RegExp): Unwrapped | null {
  const here = matchAt(pattern, text, at);
  const whole = here && { end: at + here[0].length, value: here[0] };
  if (whole && !isLineEnd(text, whole.end)) return whole;
  const line = matchAt(REST_OF_LINE, text, at)?.[0];
  return line === undefined ? whole : goOn(text, at, line, pattern, whole);
}

function goOn(text: string, at: number, line: string, pattern: RegExp, whole: Unwrapped | null): Unwrapped | null {
  let best = whole;
  let joined = line;
  let end = at + line.length;
  for (let lines = 1; lines < MAX_LINES; lines++) {
    const next = matchAt(NEXT_LINE, text, end);
    if (!next || (best ? !isFull(text, end) || startsAnew(next[1]!, best.value) : lines > MAX_INCOMPLETE)) return best;
    joined += next[1]!;
    end += next[0].length;
    const value = matchAt(pattern, joined, 0)?.[0];
    const left = value === undefined ? 0 : joined.length - value.length;
    // It ends before this line starts: the line is not part of it.
    if (left >= next[1]!.length) return best;
    if (value !== undefined) best = { end: end - left, value };
    if (left > 0 || !isLineEnd(text, end)) return best;
  }
  return best;
}

/** The next line is a word, or another value of the same kind. */
const startsAnew = (line: string, value: string): boolean => line.startsWith(value.slice(0, 4)) || isWordy(line);

/** The line is as long as a terminal is wide, at least. */
function isFull(text: string, lineEnd: number): boolean {
  return lineEnd >= NARROW && !text.slice(lineEnd - NARROW, lineEnd).includes("\n");
}

const isLineEnd = (text: string, at: number): boolean => text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n");

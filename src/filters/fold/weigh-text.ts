import type { Line } from "../line.ts";

const LETTERS = 1;
const DIGITS = 2;
const BLANKS = 3;
const SIGNS = 4;
const OTHERS = 5;

/** How many characters of one sort make a token. A longer run of signs or blanks is mostly known as a whole. */
const LONGEST = [1, 6, 3, 16, 3, 1] as const;

/** About how many tokens a text has, for deciding what is shorter. A single blank belongs to the word behind it, but not to a number. */
export function weighText(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const sort = sortOf(text.charCodeAt(at));
    let end = at + 1;
    while (end < text.length && sortOf(text.charCodeAt(end)) === sort) end++;
    const isGlued = sort === BLANKS && end - at === 1 && text[at] === " " && end < text.length && sortOf(text.charCodeAt(end)) !== DIGITS;
    tokens += isGlued ? 0 : Math.ceil((end - at) / LONGEST[sort]);
    at = end;
  }
  return tokens;
}

function sortOf(code: number): 1 | 2 | 3 | 4 | 5 {
  const small = code | 32;
  if (small >= 97 && small <= 122) return LETTERS;
  if (code >= 48 && code <= 57) return DIGITS;
  if (code === 32 || code === 9) return BLANKS;
  return code < 0x250 ? SIGNS : OTHERS;
}

/** The same of lines, with their ends. */
export const weighLines = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + weighText(text) + 1, 0);

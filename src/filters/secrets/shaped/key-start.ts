import { isMixed } from "../randomness.ts";

/** No letter or digit before it, but for one that only looks like it: the end of an escape, written out. */
export function startsHere(text: string, at: number): boolean {
  return isApart(text, at) || ESCAPE.test(text.slice(Math.max(0, at - 16), at));
}
const ESCAPE = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[\d;]{0,12}m|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})$/;
/** `u001b`: so many characters of an escape can be taken for part of a word. */
export const MAX_ESCAPE = 5;

export const isApart = (text: string, at: number): boolean =>
  !isAlphanumeric(text.charCodeAt(at - 1)) || !isAlphanumeric(text.charCodeAt(at));

/**
 * Whether letters or digits stand before a key and are not base64, in which any four letters occur by chance: `xghp_…`, `tokenAKIA…`. There may be any
 * number of them. Base64 has a `+` or `/` before long, or is as mixed as random text. It has no `_` and no `-`; its form for addresses does, but seldom
 * four characters that are a prefix with one.
 */
export function isGlued(text: string, at: number, prefix: string): boolean {
  let start = at;
  while (start > 0 && at - start < LOOKED_AT && isAlphanumeric(text.charCodeAt(start - 1))) start--;
  if (start === at) return false;
  const before = text[start - 1] ?? " ";
  const isWord = at - start <= MOST_WORD || !isMixed(text.slice(start, at));
  if (/[_-]/.test(prefix)) return isWord || prefix.length >= MOST_BY_CHANCE || !"-_".includes(before);
  return isWord && !"+/".includes(before);
}
const MOST_BY_CHANCE = 4;
const LOOKED_AT = 128;
/** What is longer is no word before a key. */
const MOST_WORD = 24;

const isAlphanumeric = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

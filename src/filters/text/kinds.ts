import type { Line } from "../line.ts";

/** Lines that are alike but for their numbers and ids, in the order in which each kind first came. */
export function kindsOf(lines: readonly Line[]): Line[][] {
  const kinds = new Map<number, Line[]>();
  for (const line of lines) {
    const key = hashWithoutNumbers(line.text);
    const kind = kinds.get(key);
    if (kind) kind.push(line);
    else kinds.set(key, [line]);
  }
  return [...kinds.values()];
}

const LOOKED_AT = 300;
const NUMBER = 1;

/** Written out, because giants are made of short lines: a text for each of them takes three times as long. 53 bits of it tell kinds apart. */
function hashWithoutNumbers(text: string): number {
  let low = 0;
  let high = 7;
  const end = Math.min(text.length, LOOKED_AT);
  const add = (code: number) => {
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high + code, 0x85ebca6b) ^ (high >>> 13);
  };
  for (let at = 0; at < end; ) {
    const code = text.charCodeAt(at);
    if (!isWord(code)) {
      add(code);
      at++;
      continue;
    }
    const from = at;
    let isHex = true;
    let hasDigit = false;
    for (; at < end; at++) {
      const each = text.charCodeAt(at);
      if (isDigit(each)) hasDigit = true;
      else if (!isWord(each)) break;
      else if (!((each | 32) >= 97 && (each | 32) <= 102)) isHex = false;
    }
    if (isHex && hasDigit) add(NUMBER);
    else
      for (let n = from; n < at; n++)
        if (!hasDigit || !isDigit(text.charCodeAt(n))) add(text.charCodeAt(n));
        else if (n === from || !isDigit(text.charCodeAt(n - 1))) add(NUMBER);
  }
  return (low >>> 0) * 0x200000 + (high >>> 11);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isWord = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95;

/** Where a program says itself that something is an error, and does not only speak of one. */
export const isOutspoken = ({ text }: Line): boolean =>
  /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);

import type { Line } from "../line.ts";

/** Lines that are alike but for their numbers, in the order in which each kind first came. */
export function kindsOf(lines: readonly Line[]): Line[][] {
  const kinds = new Map<string, Line[]>();
  for (const line of lines) {
    const kind = (line.text.length > 300 ? line.text.slice(0, 300) : line.text).replace(NUMBERS, "0");
    const alike = kinds.get(kind);
    if (alike) alike.push(line);
    else kinds.set(kind, [line]);
  }
  return [...kinds.values()];
}

const NUMBERS = /\b[0-9a-f]*\d[0-9a-f]*\b|\d+/gi;

/** Where a program says itself that something is an error, and does not only speak of one. */
export const isOutspoken = ({ text }: Line): boolean =>
  /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);

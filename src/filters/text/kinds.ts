import type { Line } from "../line.ts";
import { hashShape } from "./shape-hash.ts";

/** Lines that are alike but for their numbers and ids, in the order in which each kind first came. */
export function kindsOf(lines: readonly Line[]): Line[][] {
  const kinds = new Map<number, Line[]>();
  for (const line of lines) {
    const { text } = line;
    const key = hashShape(text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text, "digits");
    const kind = kinds.get(key);
    if (kind) kind.push(line);
    else kinds.set(key, [line]);
  }
  return [...kinds.values()];
}

const LOOKED_AT = 300;

/** Where a program says itself that something is an error, and does not only speak of one. */
export const isOutspoken = ({ text }: Line): boolean =>
  /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);

import { groupBy } from "../../text/group-by.ts";
import type { Line } from "../line.ts";

/** Lines that are alike but for their numbers, in the order in which each kind first came. */
export function kindsOf(lines: readonly Line[]): Line[][] {
  return [...groupBy(lines, ({ text }) => (text.length > 300 ? text.slice(0, 300) : text).replace(NUMBERS, "0")).values()];
}

const NUMBERS = /\b[0-9a-f]*\d[0-9a-f]*\b|\d+/gi;

/** Where a program says itself that something is an error, and does not only speak of one. */
export const isOutspoken = ({ text }: Line): boolean =>
  /\b(?:ERROR|FATAL|PANIC|FAILED|error:|fatal:|panicked at|\w*(?:Error|Exception):)/.test(text);

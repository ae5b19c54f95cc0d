import { randomBytes } from "node:crypto";

/** Keeps ripgrep at work for minutes in what `slowText` returns: it has to remember the last 300 letters, and sees new ones all the time. */
export const SLOW_PATTERN = "a[ab]{300}c";

const SIZE = 10_000_000;
const LINE = 2000;

/** Letters a and b in no order. Each line begins with the c that is looked for, because a line without it is not looked at. */
export function slowText(): string {
  const bytes = randomBytes(SIZE);
  for (let at = 0; at < SIZE; at++) bytes[at] = letter(at % LINE, bytes[at]!);
  return bytes.toString("latin1");
}

function letter(column: number, random: number): number {
  if (column === LINE - 1) return 10;
  return column === 0 ? 99 : 97 + (random & 1);
}

import type { Line } from "../line.ts";
import type { Test } from "../strategy.ts";

/** The places of lines that belong to a block: one line or more for each test, in turn. A block that is not complete is none. */
export function blocksIn(lines: readonly Line[], sequences: readonly (readonly Test[])[]): ReadonlySet<number> {
  const found = new Set<number>();
  if (sequences.length === 0) return found;
  for (let at = 0; at < lines.length; at++) {
    const end = sequences.map((tests) => endOf(lines, at, tests)).find((end) => end > at) ?? at;
    for (let n = at; n < end; n++) found.add(n);
    if (end > at) at = end - 1;
  }
  return found;
}

function endOf(lines: readonly Line[], from: number, tests: readonly Test[]): number {
  let at = from;
  for (const test of tests) {
    const start = at;
    while (at < lines.length && test(lines[at]!.text)) at++;
    if (at === start) return from;
  }
  return at;
}

import { endOfRun } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import type { Test } from "../strategy.ts";

/** The places of lines that belong to a block: one line or more for each test, in turn. A block that is not complete is none. */
export function blocksIn(lines: readonly Line[], sequences: readonly (readonly Test[])[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const tests of sequences) {
    for (let at = 0; at < lines.length; ) {
      const { end, complete } = follow(lines, at, tests);
      if (complete) for (let n = at; n < end; n++) found.add(n);
      // What began here broke off at `end`; whatever begins on the way there would too. So every line is looked at once.
      at = Math.max(end, at + 1);
    }
  }
  return found;
}

function follow(lines: readonly Line[], from: number, tests: readonly Test[]): { readonly end: number; readonly complete: boolean } {
  let at = from;
  for (const test of tests) {
    const end = endOfRun(lines, at, ({ text }) => test(text));
    if (at === end) return { end, complete: false };
    at = end;
  }
  return { end: at, complete: true };
}

import * as z from "zod";
import type { Line } from "../line.ts";
import { RUNNERS, runnersIn } from "../runners/index.ts";
import { settle } from "../runners/settle.ts";
import { type Told, walk } from "../runners/walk.ts";
import { defineStrategy, type Shortened, type Source } from "../strategy.ts";

/** Leaves out what went well. Failing tests, sums, and all that is not understood stay. */
export const testSummary = defineStrategy({
  options: z.strictObject({
    runners: z.array(z.string()).min(1).optional().describe("Whose output it is. Others are recognised by their lines alone"),
  }),
  build({ runners = [] }) {
    for (const name of runners) if (!RUNNERS.some((runner) => runner.name === name)) throw new Error(`there is no test runner "${name}"`);
    return (source) => shortened(source, new Set(runners));
  },
});

/** What was read is not read again: it no longer looks as its runner printed it. */
const READ = new WeakSet<readonly Line[]>();

/** Several runners may have printed: each leaves the lines of the others alone. */
function shortened({ lines: all, exitCode }: Source, expected: ReadonlySet<string>): Shortened | null {
  if (READ.has(all)) return null;
  const plain = new Set(runnersIn(all));
  let lines = all;
  let harmless = 0;
  let seen = false;
  let tellsWhy = false;
  for (const runner of RUNNERS) {
    if (!expected.has(runner.name) && !plain.has(runner)) continue;
    const told = walk(runner, lines);
    const isTheirs = told.some(isResult) || (expected.has(runner.name) && plain.has(runner));
    if (!isTheirs) continue;
    const settled = settle(runner, told);
    lines = settled.lines;
    harmless += settled.harmless;
    tellsWhy ||= settled.tellsWhy;
    seen = true;
  }
  if (!seen) return null;
  const isExplained = exitCode === 0 || tellsWhy;
  const result = isExplained ? lines : withTail(lines, all);
  READ.add(result);
  return { lines: result, confidence: isExplained ? "Full" : "Partial", harmless };
}

/** Sums alone may be anyone's; with the result of a test they cannot be mistaken. */
const isResult = ({ deed }: Told): boolean => deed === "pass" || deed === "brief" || deed === "title";

const TAIL = 20;

/** It failed and nothing says why: the end of the output may. */
function withTail(lines: readonly Line[], all: readonly Line[]): Line[] {
  const tail = all.slice(-TAIL);
  return [...lines.filter((line) => !tail.includes(line)), ...tail];
}

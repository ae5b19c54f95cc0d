import * as z from "zod";
import type { Line } from "../line.ts";
import { type DecidedLines, decideLines } from "../runners/decide.ts";
import { runners as allRunners, hasRunner, runnersIn } from "../runners/index.ts";
import { type RunnerLine, readRunnerLines } from "../runners/read-lines.ts";
import { defineStrategy, type Shortened, type Source } from "../strategy.ts";

/** Leaves out what went well. Failing tests, sums, and all that is not understood stay. */
export const testSummary = defineStrategy({
  options: () =>
    z.strictObject({
      runners: z.array(z.string()).min(1).optional().describe("Whose output it is. Others are recognised by their lines alone"),
    }),
  build({ runners = [] }) {
    for (const name of runners) if (!hasRunner(name)) throw new Error(`there is no test runner "${name}"`);
    return (source) => shortened(source, new Set(runners));
  },
});

/** What was read is not read again: it no longer looks as its runner printed it. */
const READ = new WeakSet<readonly Line[]>();
const TAIL = 20;

function shortened({ lines, exitCode }: Source, expected: ReadonlySet<string>): Shortened | null {
  if (READ.has(lines)) return null;
  const whole = read(lines, expected);
  if (whole === null) return null;
  // Where the exit code is not known, the sums say whether something failed.
  const isFine = exitCode === null ? whole.lines.every(({ errors }) => errors === 0) : exitCode === 0;
  const isExplained = isFine || whole.tellsWhy;
  // It failed and nothing says why: the end of the output may.
  const { lines: shown, harmless } = isExplained ? whole : withTail(lines, expected);
  READ.add(shown);
  return { lines: shown, confidence: isExplained ? "Full" : "Partial", harmless };
}

/** Several runners may have printed: each leaves the lines of the others alone. null: none of them is known. */
function read(all: readonly Line[], expected: ReadonlySet<string>): DecidedLines | null {
  const plain = new Set<string>(runnersIn(all));
  let result = null as DecidedLines | null;
  for (const [name, runner] of allRunners()) {
    const isExpected = expected.has(name);
    if (runner.alone && result !== null) continue;
    if (!isExpected && !plain.has(name)) continue;
    const told = readRunnerLines(runner, result?.lines ?? all);
    if (!told.some(isResult) && !(isExpected && plain.has(name))) continue;
    const { lines, harmless, tellsWhy } = decideLines(runner, told);
    result = { lines, harmless: harmless + (result?.harmless ?? 0), tellsWhy: tellsWhy || (result?.tellsWhy ?? false) };
  }
  return result;
}

/** Sums alone may be another program's; with the result of a test they cannot be mistaken. */
const isResult = ({ deed }: RunnerLine): boolean => deed === "pass" || deed === "skip" || deed === "brief" || deed === "title";

function withTail(all: readonly Line[], expected: ReadonlySet<string>): Pick<DecidedLines, "lines" | "harmless"> {
  const head = all.slice(0, -TAIL);
  const { lines, harmless } = read(head, expected) ?? { lines: head, harmless: 0 };
  return { lines: [...lines, ...all.slice(-TAIL)], harmless };
}

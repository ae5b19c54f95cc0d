import { makeOnce } from "../../text/make-once.ts";
import { RUNNER_TABLES } from "../built-in.ts";
import type { Line } from "../line.ts";
import type { Runner } from "./runner.ts";
import { buildRunner } from "./runner-table.ts";

const NAMES = Object.keys(RUNNER_TABLES);

export const hasRunner = (name: string): boolean => Object.hasOwn(RUNNER_TABLES, name);

/** Test runners whose output can be read. One that runs others comes before them. */
export const runners = makeOnce(
  (): ReadonlyMap<string, Runner> => new Map(NAMES.map((name) => [name, buildRunner(name, RUNNER_TABLES[name]!)])),
);

const sumsOf = ({ always, parts }: Runner): RegExp[] =>
  [always, ...Object.values(parts).map(({ rows }) => rows)].flat().flatMap((row) => (row.do === "totals" ? [row.see] : []));

/** All sums in one pattern: most outputs have none, and each line is looked at once. */
const anySum = makeOnce(() => {
  const sources = [...runners().values()].flatMap(sumsOf);
  return new RegExp([...new Set(sources.map(({ source }) => `(?:${source.replace(/\(\?<\w+>/g, "(")})`))].join("|"));
});

const MAX_SUM = 500;

/** The runners whose sums are in the text. */
export function runnersIn(lines: readonly Line[]): readonly string[] {
  const pattern = anySum();
  const sums = lines.filter(({ text }) => text.length <= MAX_SUM && pattern.test(text));
  if (sums.length === 0) return [];
  return NAMES.filter((name) => {
    const patterns = sumsOf(runners().get(name)!);
    return sums.some(({ text }) => patterns.some((pattern) => pattern.test(text)));
  });
}

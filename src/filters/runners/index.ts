import type { Line } from "../line.ts";
import { bun } from "./bun.ts";
import { cargo } from "./cargo.ts";
import { ctest } from "./ctest.ts";
import { deno } from "./deno.ts";
import { dotnet } from "./dotnet.ts";
import { go } from "./go.ts";
import { gradle } from "./gradle.ts";
import { gtest } from "./gtest.ts";
import { jest } from "./jest.ts";
import { minitest } from "./minitest.ts";
import { mocha } from "./mocha.ts";
import { nextest } from "./nextest.ts";
import { node } from "./node.ts";
import { phpunit } from "./phpunit.ts";
import { playwright } from "./playwright.ts";
import { pytest } from "./pytest.ts";
import { rspec } from "./rspec.ts";
import type { Runner } from "./runner.ts";
import { surefire } from "./surefire.ts";
import { tap } from "./tap.ts";
import { unittest } from "./unittest.ts";
import { vitest } from "./vitest.ts";
import { xctest } from "./xctest.ts";

/** Test runners whose output can be read. One that runs others comes before them. */
export const RUNNERS: readonly Runner[] = [
  nextest,
  ctest,
  bun,
  cargo,
  deno,
  dotnet,
  go,
  gradle,
  gtest,
  jest,
  minitest,
  mocha,
  node,
  phpunit,
  playwright,
  pytest,
  rspec,
  surefire,
  tap,
  unittest,
  vitest,
  xctest,
];

const sumsOf = ({ always, parts }: Runner): RegExp[] =>
  [always, ...Object.values(parts).map(({ rows }) => rows)].flat().flatMap((row) => (row.do === "totals" ? [row.see] : []));

/** All sums in one pattern: most outputs have none, and each line is looked at once. */
const SUMS = new RegExp([...new Set(RUNNERS.flatMap(sumsOf).map(({ source }) => `(?:${source.replace(/\(\?<\w+>/g, "(")})`))].join("|"));
const MAX_SUM = 500;

/** The runners whose sums are in the text. */
export function runnersIn(lines: readonly Line[]): readonly Runner[] {
  const sums = lines.filter(({ text }) => text.length <= MAX_SUM && SUMS.test(text));
  if (sums.length === 0) return [];
  return RUNNERS.filter((runner) => {
    const patterns = sumsOf(runner);
    return sums.some(({ text }) => patterns.some((pattern) => pattern.test(text)));
  });
}

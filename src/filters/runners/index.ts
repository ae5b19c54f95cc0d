import { makeOnce } from "../../text/make-once.ts";
import type { Line } from "../line.ts";
import type { Runner } from "./runner.ts";
import { cargo } from "./tables/cargo.ts";
import { catch2 } from "./tables/catch2.ts";
import { ctest } from "./tables/ctest.ts";
import { dotnet } from "./tables/dotnet.ts";
import { exunit } from "./tables/exunit.ts";
import { gherkin } from "./tables/gherkin.ts";
import { goTest } from "./tables/go.ts";
import { gradle } from "./tables/gradle.ts";
import { gtest } from "./tables/gtest.ts";
import { ava } from "./tables/js/ava.ts";
import { bun } from "./tables/js/bun.ts";
import { deno } from "./tables/js/deno.ts";
import { jasmine } from "./tables/js/jasmine.ts";
import { jest } from "./tables/js/jest.ts";
import { mocha } from "./tables/js/mocha.ts";
import { node } from "./tables/js/node.ts";
import { playwright } from "./tables/js/playwright.ts";
import { vitest } from "./tables/js/vitest.ts";
import { junit } from "./tables/junit.ts";
import { minitest } from "./tables/minitest.ts";
import { nextest } from "./tables/nextest.ts";
import { phpunit } from "./tables/phpunit.ts";
import { prove } from "./tables/prove.ts";
import { pytest } from "./tables/pytest.ts";
import { rspec } from "./tables/rspec.ts";
import { sanitizer } from "./tables/sanitizer.ts";
import { surefire } from "./tables/surefire.ts";
import { tap } from "./tables/tap.ts";
import { unittest } from "./tables/unittest.ts";
import { valgrind } from "./tables/valgrind.ts";
import { xctest } from "./tables/xctest.ts";

/** Test runners whose output can be read. One that runs others comes before them. */
export const RUNNERS = {
  nextest,
  ctest,
  bun,
  cargo,
  deno,
  dotnet,
  go: goTest,
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
  ava,
  catch2,
  exunit,
  gherkin,
  jasmine,
  junit,
  prove,
  sanitizer,
  valgrind,
} as const satisfies Readonly<Record<string, Runner>>;

export type RunnerName = keyof typeof RUNNERS;
const NAMES = Object.keys(RUNNERS) as RunnerName[];

const sumsOf = ({ always, parts }: Runner): RegExp[] =>
  [always, ...Object.values(parts).map(({ rows }) => rows)].flat().flatMap((row) => (row.do === "totals" ? [row.see] : []));

/** All sums in one pattern: most outputs have none, and each line is looked at once. */
const anySum = makeOnce(() => {
  const sources = Object.values(RUNNERS).flatMap(sumsOf);
  return new RegExp([...new Set(sources.map(({ source }) => `(?:${source.replace(/\(\?<\w+>/g, "(")})`))].join("|"));
});
const MAX_SUM = 500;

/** The runners whose sums are in the text. */
export function runnersIn(lines: readonly Line[]): readonly RunnerName[] {
  const pattern = anySum();
  const sums = lines.filter(({ text }) => text.length <= MAX_SUM && pattern.test(text));
  if (sums.length === 0) return [];
  return NAMES.filter((name) => {
    const patterns = sumsOf(RUNNERS[name]);
    return sums.some(({ text }) => patterns.some((pattern) => pattern.test(text)));
  });
}

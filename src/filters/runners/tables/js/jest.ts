import { CODE_FRAME, COVERAGE, JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const FILE = String.raw`(?:\S.* )?(?<key>\S+\.\w+)(?: \([\d.]+ m?s\))?$`;

const FILES: readonly Row[] = [
  { see: new RegExp(`^PASS ${FILE}`), do: "pass", begins: "passed" },
  { see: new RegExp(`^FAIL ${FILE}`), do: "keep", begins: "failed" },
  { see: /^ {2}● (?!Console$)(?<key>.*\S)$/, do: "title", begins: "block", say: "● $1" },
];

const TREE: readonly Row[] = [
  { see: /^\s+[✓√] (?<key>.+?)(?: \([\d.]+ m?s\))?$|^\s+[○✎] /, do: "pass" },
  { see: /^\s+[✕×] (?<key>.+?)(?: \([\d.]+ m?s\))?$/, do: "brief" },
  { see: /^ {2,}\S/, do: "group" },
];

const FRAMES: readonly Row[] = [...JS_FRAMES, ...CODE_FRAME];

/** What Jest advises whenever a file cannot be parsed. */
const ADVICE: Row = {
  see: /^\s+(?:Jest failed to parse a file\.|Out of the box Jest supports|By default "node_modules"|Here's what you can do:|• (?:If|To) |You'll find more details|https:\/\/jestjs\.io\/|For information about custom|Details:$|- .*\(see https:\/\/jestjs\.io\/\S+\)$|The file contains ESM syntax \(import\/export\))/,
  do: "drop",
};

const HEADING = /^ {2}● Console$/;
/** The file that a console line belongs to is named behind its text. */
const CONSOLE: Row = { see: /^(?<owner>) {2,4}console\.\w+$/, do: "log", begins: "console" };
/** Nothing a console prints begins that far to the left. */
const OUTSIDE: Row = { see: /^ {0,3}\S/, do: "keep", begins: "run" };

export const jest: Runner = {
  always: [
    { see: /^Snapshots: +0 total$|^Time: +[\d.]+ m?s|^Ran all test suites/, do: "drop", begins: "run" },
    { see: /^(?:Test Suites|Tests|Snapshots): +\d.* total$/, do: "totals", begins: "run" },
    { see: /^Summary of all failing tests$/, do: "drop", begins: "summary" },
    ...COVERAGE,
  ],
  parts: {
    run: { rows: [...FILES, CONSOLE, { see: /^ *RUNS {2}\S|^Determining test suites to run/, do: "drop" }] },
    passed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "quiet" }, ...TREE], blank: "afterPassed" },
    afterPassed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "quiet" }, CONSOLE] },
    failed: { outside: true, rows: [...FILES, { see: HEADING, do: "drop", begins: "loud" }, ...TREE] },
    quiet: { outside: true, rows: [...FILES, { see: /^ {4,}\S/, do: "quiet" }, OUTSIDE], indent: 6 },
    loud: { outside: true, rows: [...FILES, ...FRAMES, OUTSIDE], indent: 4 },
    // With --verbose it stands before the file it is from, which only the place tells.
    console: {
      outside: true,
      rows: [
        ...FILES,
        CONSOLE,
        { see: /^\s+at (?:.* \()?(?<by>[^\s()]+):\d+:\d+\)?$/, do: "log" },
        ...CODE_FRAME,
        { see: /^ {4,}\S/, do: "log" },
        OUTSIDE,
      ],
      indent: 4,
    },
    block: { rows: [...FILES, CONSOLE, ...FRAMES, ADVICE], indent: 4 },
    summary: { outside: true, rows: [{ see: /^ {2}● (?<key>.*\S)$/, do: "brief" }], rest: "echo" },
  },
  named: (key) => key.replace(/^\.\//, ""),
  aliases: (key) => [key.split(" › ").at(-1)!],
  titles: "all",
};

import { JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const TIME = String.raw` \([\d.]+ms\)(?: # .*)?$`;
const FAILED = new RegExp(`^\\s*✖ (?<key>.+)${TIME}`);

const RESULTS: readonly Row[] = [
  { see: new RegExp(`^\\s*✔ .*${TIME}`), do: "pass" },
  { see: /^\s*(﹣ .*) \([\d.]+ms\)( # (?!SKIP$|TODO$)(?<why>.*))$/, do: "skip", say: "$1$2" },
  { see: /^\s*(﹣ .*) \([\d.]+ms\)( # .*)?$/, do: "skip", say: "$1$2" },
  { see: FAILED, do: "brief", begins: "inline", say: "✖ $1" },
  { see: /^\s*▶ (?<key>.+?)(?: \([\d.]+ms\))?$/, do: "opens" },
  { see: /^ℹ (?:-+|(?:start|end) of coverage report|.*\|(?: +100\.00 \|){3}\s*)$/, do: "drop" },
  { see: /^ℹ (all files .*)$/, do: "totals", say: "$1" },
];

const FAILURES: readonly Row[] = [
  { see: /^test at (.*)$/, do: "title", begins: "title", say: "test at $1" },
  { see: FAILED, do: "title", begins: "block", say: "✖ $1" },
];

/** The fields of an error, as Node shows an object. */
const FIELDS: readonly Row[] = [
  {
    see: /^\s+(?:generatedMessage: \w+|code: 'ERR_(?:ASSERTION|TEST_FAILURE)'|operator: '[^']*'|diff: '\w+'),?$|^ {2}\}$|^\s+\^\s*$/,
    do: "drop",
  },
  { see: /^\s+(?:actual|expected): /, do: "again" },
];

export const node: Runner = {
  always: [
    { see: /^ℹ duration_ms /, do: "drop", begins: "run" },
    { see: /^ℹ ((?:tests|suites|pass|fail|cancelled|skipped|todo) \d+)$/, do: "totals", begins: "run", say: "$1" },
    { see: /^✖ failing tests:$|^Failed tests:$/, do: "drop", begins: "failing" },
  ],
  dots: /^[.X]{2,}$/,
  parts: {
    run: { rows: RESULTS },
    // Older versions tell of a failure twice: here, and below with the place of the test.
    inline: { outside: true, rows: [...RESULTS, { see: /^ {2,}/, do: "echo" }] },
    failing: { outside: true, rows: FAILURES },
    title: { rows: [{ see: FAILED, do: "named", begins: "block", say: "✖ $1" }] },
    block: { rows: [...FAILURES, { see: /^ {2}'\d+ subtests? failed'$/, do: "void" }, ...JS_FRAMES, ...FIELDS], indent: 2 },
  },
};

import { JS_FRAMES } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const RUN: readonly Row[] = [
  ...JS_FRAMES,
  { see: /^TAP version \d+$|^\s+\d+\.\.\d+$/, do: "drop" },
  { see: /^\s*# Subtest: (?<key>.*)$/, do: "opens" },
];

/** The block of fields below a result, as node:test and mocha write it. */
const FIELDS: readonly Row[] = [
  { see: /^\s+(?:---|\.\.\.)$/, do: "drop" },
  { see: /^\s+(?:duration_ms|type|failureType|operator|name|exitCode|signal): |^\s+code: 'ERR_(?:ASSERTION|TEST_FAILURE)'$/, do: "drop" },
];

const FAILED: readonly Row[] = [
  ...RUN,
  { see: /^\s+(exitCode: [1-9]\d*|signal: '\w+')$/, do: "keep", say: "$1" },
  ...FIELDS,
  { see: /^\s+location: '(.*)'$/, do: "own", say: "at $1" },
  { see: /^\s+error: '\d+ subtests? failed'$/, do: "void" },
  { see: /^\s+(?:error|message): \|-?$/, do: "drop" },
  { see: /^\s+(?:error|message): ['"](.*)['"]$/, do: "keep", say: "$1" },
  { see: /^\s+((?:expected|actual|wanted|found): ?)/, do: "again", begins: "values", say: "$1" },
  { see: /^\s+stack: (?:\|-?)?$/, do: "drop", begins: "stack" },
  // bats
  { see: /^# \(in test file (.+), line (\d+)\)$/, do: "own", say: "at $1:$2" },
  { see: /^# {3}(`.*' failed(?: with status \d+)?)$/, do: "keep", say: "$1" },
  { see: /^\s+\^\s*$/, do: "drop" },
  { see: /^(?: {8}| {4})/, do: "keep", say: "" },
];

export const tap: Runner = {
  always: [
    { see: /^# duration_ms /, do: "drop", begins: "run" },
    { see: /^# ((?:tests|suites|pass|fail|cancelled|skipped|todo|ok) \d+)$/, do: "totals", begins: "run", say: "$1" },
    { see: /^# (?:ok|passed|failed \d+ of \d+.*)$/, do: "totals", begins: "run" },
    { see: /^\d+\.\.\d+(?: # .*)?$/, do: "totals", begins: "run" },
    { see: /^\s*(not ok \d+.* # (?:TODO|SKIP)\b.*)$/i, do: "keep", begins: "run", say: "$1" },
    { see: /^\s*(ok \d+\b.* # SKIP\b *(?<why>\S.*))$/i, do: "skip", begins: "passed", say: "$1" },
    { see: /^\s*(ok \d+\b.* # SKIP\b *)$/i, do: "skip", begins: "passed", say: "$1" },
    { see: /^\s*ok \d+\b/, do: "pass", begins: "passed" },
    { see: /^\s*(not ok \d+(?: -)? ?(?<key>.*))$/, do: "title", begins: "failed", say: "$1" },
  ],
  parts: {
    run: { rows: RUN },
    passed: { outside: true, rows: [...RUN, ...FIELDS] },
    failed: { rows: FAILED },
    values: { rows: [...FAILED.filter(({ do: deed }) => deed !== "keep"), { see: /^\s+/, do: "again", say: "" }] },
    stack: {
      rows: [
        ...FIELDS,
        ...RUN,
        {
          see: /^\s+\S.*(?:\(node:|\(<anonymous>\)|\/node_modules\/)|^\s+(?:async )?(?:node:internal\/|Promise\.\w+ \(index \d+\)$)/,
          do: "foreign",
        },
        { see: /^\s+(?:TestContext\.<anonymous> \((.+:\d+:\d+)\)|(\S.*:\d+:\d+\)?))$/, do: "own", say: "at $1$2" },
      ],
      rest: "echo",
    },
  },
};

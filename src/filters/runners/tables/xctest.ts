import type { Row, Runner } from "../runner.ts";

const NAME = "'(?<key>[^']+)'";

const ALWAYS: readonly Row[] = [
  { see: /^\s+(Executed \d+ tests?, with .*?)(?: in [\d.]+ \([\d.]+\) seconds)?$/, do: "totals", say: "$1" },
  { see: new RegExp(`^Test Case ${NAME} passed \\(`), do: "pass", begins: "run" },
  { see: new RegExp(`^Test Case ${NAME} failed \\(`), do: "brief", begins: "run" },
  { see: /^Test Case '(?<owner>[^']+)' started/, do: "drop", begins: "printed" },
  { see: /^Test Suite '.*' (?:started|passed|failed) at /, do: "drop", begins: "run" },
  { see: /^\S.*:\d+: error: (?<key>-\[.+?\]|[\w.]+) : /, do: "title" },
];

export const xctest: Runner = {
  name: "xctest",
  always: ALWAYS,
  parts: {
    run: { rows: [] },
    printed: { outside: true, rows: [], rest: "log" },
  },
};

import type { Runner } from "../runner.ts";

const NAME = "'(?<key>[^']+)'";

export const xctest: Runner = {
  always: [
    { see: /^\s+(Executed \d+ tests?, with .*?)(?: in [\d.]+ \([\d.]+\) seconds)?$/, do: "totals", say: "$1" },
    { see: new RegExp(`^Test Case ${NAME} passed \\(`), do: "pass", begins: "run" },
    { see: new RegExp(`^Test Case ${NAME} failed \\(`), do: "brief", begins: "run" },
    { see: /^Test Case '(?<owner>[^']+)' started/, do: "drop", begins: "printed" },
    { see: /^Test Suite '.*' (?:started|passed|failed) at /, do: "drop", begins: "run" },
    { see: /^\S.*:\d+: error: (?<key>-\[.+?\]|[\w.]+) : /, do: "title" },
  ],
  parts: {
    run: { rows: [] },
    printed: { outside: true, rows: [], rest: "log" },
  },
};

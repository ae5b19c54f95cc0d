import type { Runner } from "../runner.ts";

const TIME = String.raw`(?: \(\d+ ms(?: total)?\))?$`;

const FAILED = new RegExp(`^(\\[ {2}FAILED {2}\\] (?<key>.+?))${TIME}`);

export const gtest: Runner = {
  always: [
    { see: /^\[=+\] (\d+ tests? from .* ran\.)(?: \(\d+ ms total\))?$/, do: "totals", begins: "end", say: "$1" },
    { see: /^\[ {2}(?:PASSED|SKIPPED|FAILED) {2,}\] \d+ tests?(?:\.|, listed below:)$/, do: "totals", begins: "end" },
    { see: /^\[(?:-+|=+)\]|^Running main\(\) from |^Note: Google Test filter = /, do: "drop" },
    { see: /^\[ RUN +\] (?<owner>\S.*)$/, do: "drop", begins: "printed" },
    { see: new RegExp(`^\\[ +(?:OK|SKIPPED) +\\] (?<key>.+?)${TIME}`), do: "pass", begins: "run" },
  ],
  parts: {
    run: { rows: [] },
    // The name of a failing test follows what it printed.
    printed: { outside: true, rows: [{ see: FAILED, do: "title", begins: "run", say: "$1" }], rest: "log" },
    end: {
      outside: true,
      rows: [
        { see: FAILED, do: "brief" },
        { see: /^ *\d+ FAILED TESTS?$/, do: "drop" },
      ],
    },
  },
};

import { CODE_FRAME, JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const TIME = String.raw`(?: \[[\d.]+m?s\])?$`;

const RESULTS: readonly Row[] = [
  { see: /^(?:\((?:pass|skip|todo)\)|[✓»✎]) /, do: "pass" },
  { see: /^bun test v\d|^\S+\.\w+:$/, do: "drop" },
];

const FAILED = new RegExp(`^(?:\\(fail\\)|✗) (?<key>.+?)${TIME}`);

export const bun: Runner = {
  always: [
    { see: /^ (\d+ (?:pass|skip|todo|fail|error|filtered out|snapshots?.*|expect\(\) calls))s?$/, do: "totals", begins: "run", say: "$1" },
    { see: /^(Ran \d+ tests? across \d+ files?\.)(?: \[.*\])?$/, do: "totals", begins: "run", say: "$1" },
    { see: /^\d+ tests? (?:failed|skipped|todo):$/, do: "drop", begins: "list" },
  ],
  parts: {
    // What a failing test is about stands before its name.
    run: { rows: [...RESULTS, { see: FAILED, do: "title", begins: "run", say: "(fail) $1" }, ...JS_FRAMES, ...CODE_FRAME] },
    list: { outside: true, rows: [...RESULTS, { see: FAILED, do: "brief" }], blank: "run" },
  },
};

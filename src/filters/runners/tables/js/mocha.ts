import { JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const FRAMES = JS_FRAMES.map((row): Row => ({ ...row, begins: "block" }));
const TITLE: Row = { see: /^ {2}(?<key>\d+\)) (.*)$/, do: "title", begins: "block", say: "$1 $2" };

export const mocha: Runner = {
  always: [{ see: /^ {2}(\d+ (?:passing|pending|failing)(?: \(.*\))?)$/, do: "totals", begins: "totals", say: "$1" }],
  dots: /^ {0,2}[.,!·․]{2,}$/,
  parts: {
    run: {
      rows: [
        { see: /^\s*[✔✓√] .*$/, do: "pass" },
        { see: /^ {2,}(- \S.*)$/, do: "skip", say: "$1" },
        { see: /^ {2,}(?<key>\d+\)) \S/, do: "brief" },
        { see: /^ {2,}\S/, do: "group" },
      ],
    },
    totals: { outside: true, rows: [TITLE] },
    block: {
      rows: [
        TITLE,
        ...FRAMES,
        { see: /^\s+\+ expected - actual$/, do: "again", begins: "diff" },
        { see: /^\s+\^\s*$/, do: "drop" },
        { see: /^ {5}(?=\S)/, do: "keep", say: "" },
      ],
      indent: 6,
    },
    // What the message of the assertion has shown already, most often.
    diff: { rows: [TITLE, ...FRAMES], rest: "again", indent: 6 },
  },
};

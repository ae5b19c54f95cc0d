import { JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const TITLE: Row = { see: /^(?<key>\d+\) .*)$/, do: "title", begins: "block" };

export const jasmine: Runner = {
  always: [
    { see: /^\d+ specs?, \d+ failures?(?:, \d+ pending specs?)?$/, do: "totals", begins: "run" },
    { see: /^Finished in [\d.]+ seconds?$|^Randomized with seed \d+|^Started$/, do: "drop", begins: "run" },
    { see: /^Failures:$/, do: "drop", begins: "failures" },
    { see: /^Pending:$/, do: "drop", begins: "pending" },
  ],
  dots: /^[.F*]+$/,
  parts: {
    run: { rows: [] },
    failures: { outside: true, rows: [TITLE] },
    block: { rows: [TITLE, { see: /^ {2}(?:Message|Stack):$|^\s+at <Jasmine>$/, do: "drop" }, ...JS_FRAMES], indent: 4 },
    pending: {
      outside: true,
      rows: [
        { see: /^\d+\) (.*)$/, do: "skip", say: "pending: $1" },
        { see: /^ {2}(?:Temporarily disabled with x|No reason given)/, do: "drop" },
      ],
    },
  },
};

import { CODE_FRAME, JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const TITLE: Row = { see: /^ {2}(\d+\)) (?<key>.+?)(?: ─+)?$/, do: "title", begins: "block", say: "$1 $2" };

/** A retry that failed alike is named above the same text. */
const RETRY: Row = { see: /^ {4}(Retry #\d+) ─+$/, do: "title", begins: "block", say: "$1" };

/** What is kept of each failure, and a frame that is drawn around advice. */
const ATTACHED: readonly Row[] = [
  {
    see: /^ {4}Error Context: \S|^ {4}attachment #\d+: |^ {4}(?:test-results\/\S+|Usage:|─{20,})$|^ {8}npx playwright show-trace /,
    do: "drop",
  },
  { see: /^ {4}[╔╚]═+[╗╝]$|^ {4}║ +║$|^ {4}║ <3 Playwright Team +║$/, do: "drop" },
  { see: /^ {4}║ +(\S.*?) +║$/, do: "keep", say: "$1" },
];

const RUN: readonly Row[] = [
  { see: /^ {2}[✓✔√-] +\d+ .*›/, do: "pass" },
  { see: /^ {2}[✘✖x] +\d+ (?<key>.*›.*?)(?: \(retry #\d+\))?(?: \([\d.]+m?s\))?$/, do: "brief" },
  { see: /^(?:\[\d+\/\d+\] .*›|Running \d+ tests? using \d+ workers?)/, do: "drop" },
  { see: /^ *(?:To open last HTML report run:|npx playwright show-report.*)$/, do: "drop" },
];

export const playwright: Runner = {
  always: [
    {
      see: /^ {2}(\d+ (?:passed|failed|flaky|skipped|interrupted|did not run|errors? .*)(?: \([\d.]+m?s\))?)$/,
      do: "totals",
      begins: "list",
      say: "$1",
    },
  ],
  dots: /^[·°×±FTx]{2,}$/,
  parts: {
    run: { rows: [TITLE, ...RUN] },
    block: { rows: [TITLE, RETRY, ...ATTACHED, ...JS_FRAMES, ...CODE_FRAME], indent: 4 },
    list: { outside: true, rows: [{ see: /^ {4}(?<key>.*›.*?)(?: ─+)?$/, do: "brief" }, TITLE, ...RUN] },
  },
};

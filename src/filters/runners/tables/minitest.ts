import type { Row, Runner } from "../runner.ts";

const BLOCK: readonly Row[] = [
  { see: /^ {4}(?:\/usr\/|\/.*\/gems\/)\S*:\d+:in /, do: "foreign" },
  { see: /^ {4}(\S+:\d+):in [`'].*'$/, do: "own", say: "$1" },
  { see: /^(?:bin\/)?rails test \S+:\d+$/, do: "drop" },
];

export const minitest: Runner = {
  always: [
    { see: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors(?:, .*)?$/, do: "totals", begins: "run" },
    {
      see: /^Finished in [\d.]+ ?s(?:econds)?[,.]?.*$|^# Running:$|^You have skipped tests\. Run with --verbose/,
      do: "drop",
      begins: "run",
    },
    { see: /^ {2}\d+\) Skipped:$/, do: "pass", begins: "skipped" },
    { see: /^ {2}\d+\) (?:Failure|Error):$/, do: "drop", begins: "title" },
  ],
  dots: /^(?:[.FES]*\.[.FES]*|([FES])\1+)$/,
  parts: {
    run: {
      rows: [
        { see: /^[^\s#]+#\S.* = [\d.]+ s = [.S]$/, do: "pass" },
        { see: /^(?<key>[^\s#]+#\S.*) = [\d.]+ s = [FE]$/, do: "brief" },
      ],
    },
    title: { rows: [{ see: /^(?<key>[^\s#]+#\S[^[]*?)(?: \[.*\])?:$/, do: "title", begins: "block" }] },
    block: { rows: BLOCK },
    skipped: { outside: true, rows: [], rest: "quiet" },
  },
};

import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^ {2}(?<key>\d+\) .*)$/, do: "title", begins: "block", say: "$1" };

const RESULTS: readonly Row[] = [
  { see: /^\s+\S.* \(FAILED - (?<key>\d+)\)$/, do: "brief" },
  { see: /^\s+\S.* \(PENDING: /, do: "pass" },
];

export const rspec: Runner = {
  always: [
    { see: /^\d+ examples?, \d+ failures?(?:, .*)?$/, do: "totals", begins: "end" },
    { see: /^Finished in .* \(files took .* to load\)$/, do: "drop", begins: "run" },
    { see: /^Pending: \(Failures listed here are expected/, do: "drop", begins: "pending" },
    { see: /^Failures:$/, do: "drop", begins: "failures" },
    { see: /^Failed examples:$/, do: "drop", begins: "end" },
  ],
  dots: /^[.F*]+$/,
  parts: {
    // The documentation format prints the bare names of what passed, below the name of their group.
    run: { rows: [...RESULTS, { see: /^\S/, do: "group", begins: "doc" }] },
    doc: { outside: true, rows: [...RESULTS, { see: /^ {2,}\S/, do: "quiet" }], blank: "run" },
    pending: {
      outside: true,
      rows: [{ see: /^ {2}\d+\) |^ {5}(?:#|Failure\/Error: )|^ {7}(?:expected: |\(compared using)|^ {12}got: /, do: "pass" }],
      rest: "quiet",
    },
    failures: { outside: true, rows: [TITLE] },
    block: {
      rows: [
        TITLE,
        { see: /^ +\(compared using [=!a-z?.]+\)$/, do: "drop" },
        { see: /^ {5}# (?:\/usr\/|.*\/gems\/|.*\/rubygems)/, do: "foreign" },
        { see: /^ {5}# (\S+:\d+):in [`'].*'$/, do: "own", say: "# $1" },
      ],
      indent: 5,
    },
    end: { outside: true, rows: [{ see: /^rspec (?<at>\S+) # (?<key>.*)$/, do: "brief" }] },
  },
  aliases: (key) => [key.slice(0, key.indexOf(")")), key.slice(key.indexOf(")") + 2)],
  retitled: (title, { at }) => (at ? `${title} # ${at}` : null),
};

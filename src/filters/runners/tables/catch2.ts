import type { Row, Runner } from "../runner.ts";

const CHECKED: readonly Row[] = [
  { see: /^-{79}$/, do: "drop", begins: "name" },
  { see: /^\S.*:\d+: PASSED:$/, do: "pass", begins: "passed" },
  { see: /^(\S.*:\d+: FAILED):$/, do: "own", begins: "block", say: "$1" },
];

export const catch2: Runner = {
  always: [
    { see: /^(?:test cases|assertions): +\d+ \| .*$/, do: "totals", begins: "run" },
    { see: /^All tests passed \(\d+ assertions? in \d+ test cases?\)$/, do: "totals", begins: "run" },
    { see: /^(?:[~=]{79}|\.{79})$|^\S+ is a Catch2? v\d|^Run with -\? for options$|^Randomness seeded to: /, do: "drop" },
  ],
  parts: {
    run: { rows: CHECKED },
    // The name of a test stands between two rules, with the sections below it; then its place, which the failures in it tell better.
    name: {
      rows: [
        { see: /^-{79}$/, do: "drop", begins: "place" },
        { see: /^(?<key>\S.*)$/, do: "title" },
      ],
    },
    place: { rows: [...CHECKED, { see: /^\S+:\d+$/, do: "drop" }] },
    block: { rows: [...CHECKED, { see: /^with (?:expansion|messages?):$/, do: "drop" }] },
    passed: { rows: CHECKED, rest: "quiet" },
  },
};

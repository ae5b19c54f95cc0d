import type { Runner } from "../runner.ts";

/** `prove`, and what Test::More says of a failure. */
export const prove: Runner = {
  always: [
    { see: /^(Files=\d+, Tests=\d+), .*$/, do: "totals", begins: "run", say: "$1" },
    { see: /^Result: \w+$|^All tests successful\.$/, do: "totals", begins: "run" },
    { see: /^\S+ \.{2,} ok(?: .*)?$/, do: "pass", begins: "run" },
    { see: /^# {3}Failed (?:\(TODO\) )?test(?: '(?<key>.*)')?$/, do: "title", begins: "block", say: "Failed test '$1'" },
    // The report below says the same.
    {
      see: /^Dubious, test returned \d+ |^Failed \d+\/\d+ subtests *$|^# Looks like you failed \d+ tests? of \d+|^Test Summary Report$|^-{19}$/,
      do: "drop",
    },
    { see: /^\S+ \.{2,} *$/, do: "drop", begins: "run" },
  ],
  parts: {
    run: { rows: [] },
    block: {
      rows: [
        { see: /^# {3}at (.+) line (\d+)\.$/, do: "own", say: "at $1:$2" },
        { see: /^# +/, do: "keep", say: "  " },
        { see: /^\S/, do: "keep", begins: "run" },
      ],
    },
  },
};

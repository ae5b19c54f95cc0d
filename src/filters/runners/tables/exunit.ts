import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^ {2}\d+\) (?<key>(?:test|doctest|property) .*)$/, do: "title", begins: "block", say: "$1" };

export const exunit: Runner = {
  always: [
    { see: /^(?:\d+ (?:doctests?|properties|property), )*\d+ tests?, \d+ failures?(?:, .*)?$/, do: "totals", begins: "run" },
    {
      see: /^Finished in [\d.]+ seconds \(|^Randomized with seed \d+$|^Running ExUnit with seed: |^(?:Excluding|Including) tags: /,
      do: "drop",
      begins: "run",
    },
    // With --trace a test is named when it begins and when it ends.
    { see: /^ +\* (?:test|doctest|property) .* \([\d.]+ms\)(?: \[L#\d+\])?$/, do: "pass" },
    { see: /^ +\* ((?:test|doctest|property) .*) \((?:skipped|excluded)\)(?: \[L#\d+\])?$/, do: "skip", say: "$1 (skipped)" },
    TITLE,
  ],
  dots: /^[.*]+$/,
  parts: {
    run: { rows: [] },
    block: {
      rows: [
        { see: /^ {5}stacktrace:$|^\s*[.*]+$/, do: "drop" },
        { see: /^ {7}\((?:elixir|stdlib|ex_unit|kernel|mix|ecto\w*|phoenix\w*|plug\w*|db_connection|postgrex) [\d.]+\) /, do: "foreign" },
        { see: /^ {7}(\S.*:\d+): .*$/, do: "own", say: "at $1" },
        { see: /^ {5}(\S+\.exs?:\d+)$/, do: "own", say: "at $1" },
      ],
      indent: 5,
    },
  },
};

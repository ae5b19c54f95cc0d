import { RUST_BACKTRACE } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^---- (?<key>.+) (?:stdout|stderr|compile) ----$/, do: "title", begins: "block", say: "---- $1 ----" };

export const cargo: Runner = {
  always: [
    { see: /^(test result: ok(?:\.|;)(?: 0 \w+;){4} 0 filtered out); finished in [\d.]+s$/, do: "none", begins: "run", say: "$1" },
    { see: /^(test result: (?:ok|FAILED)\. .*filtered out); finished in [\d.]+s$/, do: "totals", begins: "run", say: "$1" },
    {
      see: /^\s+Running (?:(?:unittests|benches|tests|examples) )?(\S+) \((?:.*[\\/])?([\w.-]+?)-[\da-f]{16}(?:\.exe)?\)$/,
      do: "suite",
      begins: "run",
      say: "$2 ($1):",
    },
    { see: /^\s+(Running (?:unittests |benches |tests |examples )?\S+ \(.+\)|Doc-tests \S+)$/, do: "suite", begins: "run", say: "$1:" },
    { see: /^failures:$/, do: "drop", begins: "failures" },
    { see: /^successes:$/, do: "drop", begins: "successes" },
  ],
  dots: /^[.iF]+(?: \d+\/\d+)?$/,
  parts: {
    run: {
      rows: [
        TITLE,
        { see: /^test .* \.\.\. ok(?:, .*)?(?: <[\d.]+s>)?$/, do: "pass" },
        { see: /^test .* \.\.\. ignored(?:, (?<why>.*?))?(?: <[\d.]+s>)?$/, do: "skip" },
        { see: /^test (?<key>.*?)(?: - should panic)? \.\.\. FAILED(?: <[\d.]+s>)?$/, do: "brief" },
        { see: /^(?<key>\S.*?)(?: - should panic)? --- FAILED$/, do: "brief" },
        {
          see: /^running \d+ tests?$|^\s+(?:Compiling|Finished|Fresh|Executable|Blocking|Downloaded|Downloading) |^all doctests ran in /,
          do: "drop",
        },
        ...RUST_BACKTRACE,
      ],
    },
    // Names alone, or what each of them printed.
    failures: { outside: true, rows: [TITLE, { see: /^ {4}(?<key>\S.*)$/, do: "brief" }] },
    block: { rows: [TITLE, ...RUST_BACKTRACE] },
    successes: { outside: true, rows: [{ see: /^---- .+ stdout ----$|^ {4}\S/, do: "pass" }], rest: "quiet" },
  },
};

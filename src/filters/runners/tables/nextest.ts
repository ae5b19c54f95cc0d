import { RUST_BACKTRACE } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const TIME = String.raw`\[ *>? *[\d. smh]+\](?: +\( *\d+\/\d+\))?`;

/** FAIL, TIMEOUT, SIGSEGV and the like; with retries, `TRY 2 FAIL`. */
const FAILED = new RegExp(`^ *((?:TRY \\d+ )?(?:FAIL|TIMEOUT|TMT|ABORT|SIG\\w+|XFAIL|LEAK-FAIL)) ${TIME} +(?<key>\\S.*)$`);

/** What the process of one test printed, which is what `cargo test` prints of it. */
const PRINTED: readonly Row[] = [
  { see: /^ *(?:running 1 test|failures:|test result: FAILED\. 0 passed; 1 failed; .*|test .* \.\.\. FAILED)$/, do: "drop" },
  { see: /^(?:─+|-{3}) (?:STDOUT|STDERR): |^ +(?:stdout|stderr) (?:─+|-{3,})$/, do: "drop" },
  ...RUST_BACKTRACE,
  { see: /^ {4,8}(?<key>[\w:]+)$/, do: "brief" },
];

const TITLE: Row = { see: FAILED, do: "title", begins: "block", say: "$1 $2" };

export const nextest: Runner = {
  always: [
    { see: /^ +(Summary \[.*\] .*\btests? run: .*)$/, do: "totals", begins: "end", say: "$1" },
    { see: new RegExp(`^ *(?:PASS|SKIP|SETUP PASS) ${TIME} `), do: "pass", begins: "run" },
    {
      see: /^(?:─+|-{12,})$|^ *Nextest run ID |^ +Starting \d+ tests? across |^ +(?:Compiling|Finished|Blocking) /,
      do: "drop",
      begins: "run",
    },
  ],
  parts: {
    run: { rows: [TITLE, ...PRINTED.slice(1, 2)] },
    block: { rows: [TITLE, ...PRINTED], indent: 4 },
    // The list after the sums.
    end: { outside: true, rows: [{ see: FAILED, do: "brief" }, ...PRINTED] },
  },
  aliases: (key) => [key.split(" ").at(-1)!],
};

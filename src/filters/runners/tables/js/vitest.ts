import { CODE_FRAME, COVERAGE, JS_FRAMES } from "../../frames.ts";
import type { Row, Runner } from "../../runner.ts";

const RESULTS: readonly Row[] = [
  { see: /^\s*[✓√] /, do: "pass" },
  { see: /^\s*(↓ .*)$/, do: "skip", say: "$1" },
  { see: /^\s*[×✗] (?:\|[^|]*\| )?(?<key>.+?)(?: \(\d+ tests?\b.*\))?(?: \d+ ?ms)?$/, do: "brief" },
  { see: /^\s*❯ (?:\|[^|]*\| )?(?<key>\S.*?) \(\d+ tests?\b.*\)(?: \d+ ?ms)?$/, do: "brief" },
  { see: /^\s*❯ .* \(\d+\)(?: \d+ ?ms)?$/, do: "drop" },
  { see: /^\s+❯ (?<key>\S.* > .*)$/, do: "brief" },
  { see: /^\s+→ /, do: "echo", begins: "reason" },
  { see: /^\s*RUN {2}v\d/, do: "drop" },
  { see: /^\s+Isolate {2,}\d+ workers spawned|^\s+at least ~.* faster with isolate: false/, do: "drop" },
  { see: /^ % Coverage report from/, do: "drop" },
  ...COVERAGE,
];

const BLOCK: readonly Row[] = [
  ...JS_FRAMES.map((row): Row => ({ ...row, begins: "block" })),
  ...CODE_FRAME,
  {
    see: /^This might cause false positive tests\.|^- (?:[Tt]he error was thrown,? (?:while|after)|If the error occurred after the test)/,
    do: "drop",
  },
];

export const vitest: Runner = {
  always: [
    {
      see: /^\s*((?:Test Files|Tests|Snapshots|Type Errors|Errors) {2,}(?:no tests|no errors|\d+ \w+).*)$/,
      do: "totals",
      begins: "run",
      say: "$1",
    },
    { see: /^\s*(?:Start at|Duration) {2,}\S/, do: "drop", begins: "run" },
    { see: /^ *FAIL {2}(?<key>.*\S)$/, do: "title", begins: "block", say: "FAIL $1" },
    { see: /^⎯+(?: Failed (?:Tests|Suites|Typechecks) \d+ ⎯*|\[\d+\/\d+\]⎯*)?$/, do: "drop", begins: "run" },
    { see: /^⎯+ (.+?) ⎯+$/, do: "keep", begins: "block", say: "$1" },
    { see: /^[·x*-]*(?:stdout|stderr) \| (?<owner>.*\S)$/, do: "logged", begins: "printed" },
  ],
  dots: /^(?:[·x*-]*·[·x*-]*|x{2,})$/,
  parts: {
    run: { rows: RESULTS },
    // The message may have more lines. The block of the test says them again.
    reason: { outside: true, rows: RESULTS.map((row): Row => ({ begins: "run", ...row })), rest: "echo" },
    printed: { rows: [], rest: "log", blank: "run" },
    block: {
      rows: [...BLOCK, { see: /^[-+] (?:Expected|Received)(?: +[-+] \d+)?$|^(?:Expected|Received): /, do: "again", begins: "diff" }],
    },
    diff: { rows: BLOCK, rest: "again" },
  },
  // In a workspace the project stands before the file.
  named: (key) => key.replace(/^\|[^|]*\| /, ""),
  aliases: (key) => {
    const segments = key.split(" > ");
    return [segments[0]!.replace(/ \[ .* \]$/, ""), ...segments.map((_, n) => segments.slice(n).join(" > "))];
  },
  titles: "owners",
};

import type { Row, Runner } from "../runner.ts";

const TIME = String.raw` \([\d.]+s\)$`;

/** A place is two lines: the function, and below it the file. */
const TRACE: readonly Row[] = [
  { see: /^(?:goos|goarch): \w+$/, do: "drop" },
  { see: /^={18}$|^goroutine \d+ .*\]:$|^\t?panic: .* \[recovered(?:, repanicked)?\]$/, do: "drop" },
  { see: /^\s+\S*(?:\/go(?:-[\d.]+)?\/src\/|\/go\/pkg\/mod\/|_testmain\.go|\/libexec\/src\/)\S*:\d+(?: \+0x[0-9a-f]+)?$/, do: "drop" },
  { see: /^\s+(\/\S+\.(?:go|s):\d+)(?: \+0x[0-9a-f]+)?$/, do: "shows", say: "  $1" },
  {
    see: /^\s*(?:created by )?([\w./*()[\]-]+)\((?:\.\.\.|[{}\w, ?.]*)\)(?: in goroutine \d+)?$|^created by \S+(?: in goroutine \d+)?$/,
    do: "source",
  },
];

export const goTest: Runner = {
  always: [
    { see: /^(ok {2}|\? {3})\t(\S+)\t(?:[\d.]+s|\(cached\))?(?:\t)?(.*)$/, do: "totals", begins: "run", say: "$1$2 $3" },
    { see: /^(FAIL)\t(\S+)(?:\t[\d.]+s| (\[.+\]))?$/, do: "totals", begins: "run", say: "$1 $2 $3" },
    // gotestsum
    { see: /^DONE \d+ tests?\b.*$/, do: "totals", begins: "run" },
    { see: /^(?:PASS|EMPTY) \S+ \((?:[\d.]+s|cached)\)$|^∅ {2}\S+|^✓ {2}\S+/, do: "pass", begins: "run" },
    { see: /^FAIL \S+?\.(?<key>\S+) \([\d.]+s\)$/, do: "brief", begins: "run" },
    { see: /^=== (?:Failed|Skipped|Errors)$|^=== SKIP: \S/, do: "drop", begins: "run" },
    { see: /^=== FAIL: \S+ (?<key>.+) \([\d.]+s\)$/, do: "title", begins: "block", say: "--- FAIL: $1" },
    { see: /^(?:PASS|FAIL|exit status 1)$/, do: "drop", begins: "run" },
    // Not just a failing test: it panicked, or was ended.
    { see: /^exit status \d+$/, do: "keep", begins: "run" },
    { see: /^=== (?:RUN|CONT|NAME) +(?<owner>\S.*)$/, do: "drop", begins: "printed" },
    { see: /^=== PAUSE +\S/, do: "drop" },
    { see: new RegExp(`^\\s*--- PASS: (?<key>.+)${TIME}`), do: "pass", begins: "run" },
    { see: new RegExp(`^\\s*(--- SKIP: (?<key>.+))${TIME}`), do: "skip", begins: "run", say: "$1" },
    { see: new RegExp(`^\\s*(--- FAIL: (?<key>.+))${TIME}`), do: "title", begins: "block", say: "$1" },
  ],
  parts: {
    run: { rows: TRACE },
    printed: { outside: true, rows: [{ see: /^\s+\S+\.go:\d+: /, do: "logged" }, ...TRACE], rest: "log" },
    block: { rows: TRACE },
  },
};

import type { Row } from "../runner.ts";

/** `at name (file:1:2)`, `at file:1:2`, `at new Promise (<anonymous>)`, and with `❯` instead of `at`. */
export const JS_FRAMES: readonly Row[] = [
  {
    see: /^\s*(?:# +)?((?:at|❯) (?=.*(?:node_modules\/|\bnode:|\bext:|<anonymous>\)|\binternal\/)).*?)(?: \{)?$/,
    do: "foreign",
    say: "$1",
  },
  { see: /^\s*(?:# +)?at (?:async )?(?:\w+\.)?<anonymous> \((.+:\d+:\d+)\)(?: \{)?$/, do: "own", say: "at $1" },
  { see: /^\s*(?:# +)?(at .*:\d+\)?|❯ .*:\d+:\d+)(?: \{)?$/, do: "own", say: "$1" },
];

/** Source around the line that failed: `>` marks it, or a `^` below it. */
export const CODE_FRAME: readonly Row[] = [
  { see: /^\s*> *(\d+) \| ?\s*/, do: "keep", say: "> $1| " },
  { see: /^\s*(?:\|\s*)?\^+\s*$/, do: "points" },
  { see: /^\s*(\d+) *\|\s*/, do: "source", say: "$1| " },
];

/** The table istanbul prints: what is covered entirely goes. */
export const COVERAGE: readonly Row[] = [
  { see: /^-{3,}\|-[-|]+$/, do: "drop" },
  { see: /^All files\s*\|/, do: "totals" },
  { see: /^\s*\S.*\|(?:\s+100 \|){4}\s*$/, do: "drop" },
];

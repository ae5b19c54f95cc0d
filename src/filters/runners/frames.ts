import type { Row, RunnerPart } from "./runner.ts";

/** `at name (file:1:2)`, `at file:1:2`, `at new Promise (<anonymous>)`, and with `❯` instead of `at`. */
export const JS_FRAMES: readonly Row[] = [
  {
    see: /^\s*(?:# +)?((?:at|❯) (?=.*(?:node_modules\/|\bnode:|\bext:|<anonymous>\)|\binternal\/| Promise\.\w+ \(index \d+\))).*?)(?: \{)?$/,
    do: "foreign",
    say: "$1",
  },
  { see: /^\s*(?:# +)?at (?:async )?(?:\w+\.)?<anonymous> \((.+:\d+:\d+)\)(?: \{)?$/, do: "own", say: "at $1" },
  { see: /^\s*(?:# +)?(at .*:\d+\)?|❯ .*:\d+:\d+)(?: \{)?$/, do: "own", say: "$1" },
];

/** Source around the line that failed: `>` marks it, or a `^` below it. */
export const CODE_FRAME: readonly Row[] = [
  { see: /^\s*> *(\d+) \| ?\s*/, do: "excerpt", say: "> $1| " },
  { see: /^\s*(?:\|\s*)?\^+\s*$/, do: "points" },
  { see: /^\s*(\d+) *\|\s*/, do: "source", say: "$1| " },
];

/** The table istanbul prints: what is covered entirely goes. */
export const COVERAGE: readonly Row[] = [
  { see: /^-{3,}\|-[-|]+$/, do: "drop" },
  { see: /^All files\s*\|/, do: "totals" },
  { see: /^\s*\S.*\|(?:\s+100 \|){4}\s*$/, do: "drop" },
];

/** Files of the language, of packages and of the runner itself. */
const FOREIGN_PYTHON = String.raw`(?:<frozen |.*(?:/site-packages/|/dist-packages/|/lib/python\d|/_pytest/|/unittest/\w+\.py))`;

/** Marks below a source line. */
const PYTHON_MARKS: Row = { see: /^\s+[\^~][\^~\s-]*$/, do: "drop" };

/**
 * What follows `Traceback (most recent call last):`. Each frame is a line for the place and one for the source; only the own ones stay. The parts
 * are called `native`, `nativeOwn` and `nativeForeign`.
 */
export function tracebackParts(rows: readonly Row[]): Readonly<Record<"native" | "nativeOwn" | "nativeForeign", RunnerPart>> {
  const frames: readonly Row[] = [
    { see: new RegExp(String.raw`^\s+File "${FOREIGN_PYTHON}`), do: "drop", begins: "nativeForeign" },
    { see: /^\s+File "([^"]+)", line (\d+)(?:, in (.+))?$/, do: "own", begins: "nativeOwn", say: "$1:$2 in $3" },
    PYTHON_MARKS,
    ...rows,
  ];
  return {
    native: { rows: frames },
    nativeOwn: {
      rows: [
        ...frames,
        { see: /^ {4}\s*raise\b/, do: "drop", begins: "native" },
        { see: /^ {4}\s*(\S.*)$/, do: "keep", begins: "native", say: "  $1" },
      ],
    },
    nativeForeign: { rows: [...frames, { see: /^ {4}\s*\S/, do: "drop", begins: "native" }] },
  };
}

export const TRACEBACK: Row = { see: /^Traceback(?: \(most recent call last\))?:$/, do: "drop", begins: "native" };

/** `x.py:12: in f`, as pytest writes a frame. The parts of the source below are called `source` and `foreign`. */
export const PYTEST_FRAMES: readonly Row[] = [
  { see: new RegExp(String.raw`^${FOREIGN_PYTHON}[^:]*:\d+: in .+$`), do: "drop", begins: "foreign" },
  { see: new RegExp(String.raw`^${FOREIGN_PYTHON}[^:]*:\d+: \w*$`), do: "drop" },
  { see: /^(\S.*:\d+): in (.+)$/, do: "own", begins: "source", say: "$1 in $2" },
  { see: /^(\S+:\d+): ?(\w*)$/, do: "own", say: "$1 $2" },
  PYTHON_MARKS,
];

/** `\tat package.Class.method(File.java:12)`. Frames of the language and of test libraries go. */
export const JVM_FRAMES: readonly Row[] = [
  {
    see: /^\s+at (?:[\w.@-]+\/+)?(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|testng|hamcrest|assertj|opentest4j|mockito|gradle|apache\.maven|codehaus|spockframework)|junit|worker)\./,
    do: "foreign",
  },
  { see: /^\s+(at [\w$.<>/@-]+\([^()]*\)).*$/, do: "own", say: "$1" },
  { see: /^\s+\.\.\. \d+ (?:more|common frames omitted)$/, do: "drop" },
];

/** A place is two lines: the function, and below it the file. Places in the standard library and in crates go. */
export const RUST_BACKTRACE: readonly Row[] = [
  { see: /^ *(?:stack backtrace:$|note: (?:run with `RUST_BACKTRACE=|Some details are omitted))/, do: "drop" },
  { see: /^ +at (?:\/rustc\/|.*\/(?:\.cargo\/(?:registry|git)|rustlib|toolchains)\/)/, do: "drop" },
  { see: /^ +(at (?:\.\/|\/|\w)\S*:\d+(?::\d+)?)$/, do: "shows", say: "$1" },
  { see: /^ +\d+: (?:0x[0-9a-f]+ - )?(\S.*)$/, do: "source", say: "$1" },
];

import type { Row, RunnerPart } from "../runner.ts";

/** Files of the language, of packages and of the runner itself. */
const FOREIGN = String.raw`(?:<frozen |.*(?:/site-packages/|/dist-packages/|/lib/python\d|/_pytest/|/unittest/\w+\.py))`;

/** Marks below a source line. */
const MARKS: Row = { see: /^\s+[\^~][\^~\s-]*$/, do: "drop" };

/**
 * What follows `Traceback (most recent call last):`. Each frame is a line for the place and one for the source; only the own ones stay. The parts
 * are called `native`, `nativeOwn` and `nativeForeign`.
 */
export function tracebackParts(rows: readonly Row[]): Readonly<Record<"native" | "nativeOwn" | "nativeForeign", RunnerPart>> {
  const frames: readonly Row[] = [
    { see: new RegExp(String.raw`^\s+File "${FOREIGN}`), do: "drop", begins: "nativeForeign" },
    { see: /^\s+File "([^"]+)", line (\d+)(?:, in (.+))?$/, do: "own", begins: "nativeOwn", say: "$1:$2 in $3" },
    MARKS,
    ...rows,
  ];
  return {
    native: { rows: frames },
    nativeOwn: { rows: [...frames, { see: /^ {4}\s*(\S.*)$/, do: "keep", begins: "native", say: "  $1" }] },
    nativeForeign: { rows: [...frames, { see: /^ {4}\s*\S/, do: "drop", begins: "native" }] },
  };
}

export const TRACEBACK: Row = { see: /^Traceback(?: \(most recent call last\))?:$/, do: "drop", begins: "native" };

/** `x.py:12: in f`, as pytest writes a frame. The parts of the source below are called `source` and `foreign`. */
export const PYTEST_FRAMES: readonly Row[] = [
  { see: new RegExp(String.raw`^${FOREIGN}[^:]*:\d+: in .+$`), do: "drop", begins: "foreign" },
  { see: new RegExp(String.raw`^${FOREIGN}[^:]*:\d+: \w*$`), do: "drop" },
  { see: /^(\S.*:\d+): in (.+)$/, do: "own", begins: "source", say: "$1 in $2" },
  { see: /^(\S+:\d+): ?(\w*)$/, do: "own", say: "$1 $2" },
  MARKS,
];

import type { Row } from "../runner.ts";

/** A place is two lines: the function, and below it the file. Places in the standard library and in crates go. */
export const RUST_BACKTRACE: readonly Row[] = [
  { see: /^ *(?:stack backtrace:$|note: (?:run with `RUST_BACKTRACE=|Some details are omitted))/, do: "drop" },
  { see: /^ +at (?:\/rustc\/|.*\/(?:\.cargo\/(?:registry|git)|rustlib|toolchains)\/)/, do: "drop" },
  { see: /^ +(at (?:\.\/|\/|\w)\S*:\d+(?::\d+)?)$/, do: "shows", say: "$1" },
  { see: /^ +\d+: (?:0x[0-9a-f]+ - )?(\S.*)$/, do: "source", say: "$1" },
];

import { JS_FRAMES } from "../../frames.ts";
import type { Runner } from "../../runner.ts";

export const ava: Runner = {
  always: [
    {
      see: /^ {2}(\d+ (?:tests?|hooks?|uncaught exceptions?|unhandled rejections?)(?: failed| passed| skipped| todo| remained pending)?)$/,
      do: "totals",
      say: "$1",
    },
    { see: /^\s+✔ /, do: "pass" },
    { see: /^\s+(- \[(?:skip|todo)\] .*)$/, do: "skip", say: "$1" },
    // The name comes again, above what went wrong.
    { see: /^\s+✘ \[fail\]: (?<key>.*?)(?: Error thrown in test)?$/, do: "brief", say: "✘ $1" },
    { see: /^ {2}─$|^ {3}\d+: /, do: "drop" },
    { see: /^ {2}› (?:file:\/\/)?(\S+:\d+:\d+)$/, do: "own", say: "at $1" },
    { see: /^ {2}\S+\.[cm]?[jt]sx?:\d+$/, do: "drop" },
    ...JS_FRAMES,
  ],
  parts: { run: { rows: [], indent: 2 } },
};

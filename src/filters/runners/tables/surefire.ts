import { JVM_FRAMES } from "../frames.ts";
import type { Runner } from "../runner.ts";

const COUNTS = String.raw`Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+`;
const TAG = String.raw`^(?:\[\w+\] )?`;

export const surefire: Runner = {
  always: [
    { see: /^\[(?:INFO|ERROR)\] *$/, do: "drop" },
    { see: new RegExp(`${TAG}(${COUNTS})$`), do: "totals", begins: "run", say: "$1" },
    { see: new RegExp(`${TAG}${COUNTS}, Time elapsed: [\\d.,]+ m?s(?: -+ in .*)?$`), do: "pass", begins: "run" },
    { see: new RegExp(`${TAG}${COUNTS}, Time elapsed: .* <<< (?:FAILURE|ERROR)!(?: -+ in .*)?$`), do: "drop", begins: "run" },
    {
      see: /^(?:\[\w+\] )?(?<key>\S.*?) +(?:-- )?Time elapsed: [\d.,]+ m?s +<<< (FAILURE|ERROR)!$/,
      do: "title",
      begins: "block",
      say: "$1 $2",
    },
    { see: /^\[\w+\] (?:Failures|Errors): *$/, do: "drop", begins: "list" },
    {
      see: /^\[INFO\] (?:Running \S+|Results:|-+| +T E S T S)$|^ T E S T S$|^-{50,}$|^Running [\w.$]+$|^Results *:$/,
      do: "drop",
      begins: "run",
    },
  ],
  parts: {
    run: {
      rows: [
        {
          see: /^\[ERROR\] (?:-> \[Help \d+\]|\[Help \d+\] http|To see the full stack trace|Re-run Maven using|For more information about the errors|Please refer to )/,
          do: "drop",
        },
      ],
    },
    block: { rows: JVM_FRAMES },
    list: { outside: true, rows: [{ see: /^\[ERROR\] +(?<key>[\w$]+\.[\w$]+(?:\[.*?\])?):\d+\b.*$/, do: "brief" }] },
  },
  // startedHour(p.FeesTest), or p.FeesTest.startedHour: FeesTest.startedHour
  aliases: (key) => {
    const old = /^(.+?)\((?:[\w$]+\.)*([\w$]+)\)$/.exec(key);
    return [old ? `${old[2]}.${old[1]}` : key.replace(/^(?:[\w$]+\.)*(?=[\w$]+\.[\w$]+)/, "")];
  },
};

import type { Row, Runner } from "../runner.ts";

const TIME = String.raw`(?: \[(?:< )?[\d.,]+ (?:ms|s|m|m \d+ s)\])?$`;

const RUN: readonly Row[] = [
  { see: /^\[xUnit\.net [\d:.]+\] +(?<key>\S.*) \[FAIL\]$/, do: "brief" },
  { see: /^\[xUnit\.net [\d:.]+\] +(?:Discovering|Discovered|Starting|Finished): /, do: "drop" },
  {
    see: /^(?:Microsoft \(R\)|Copyright \(c\)|VSTest version|Starting test execution|A total of \d+ test files? matched|Test run for )/,
    do: "drop",
  },
];

export const dotnet: Runner = {
  always: [
    { see: /^(?:Failed|Passed|Skipped)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+/, do: "totals", begins: "run" },
    {
      see: /^Test Run (?:Failed|Successful|Aborted)\.$|^Total tests: \d+$|^ +(?:Passed|Failed|Skipped): \d+$/,
      do: "totals",
      begins: "run",
    },
    { see: /^Test summary: total: \d+, failed: \d+/, do: "totals", begins: "run" },
    { see: new RegExp(`^ {2}(?:Passed|Skipped) \\S.*${TIME}`), do: "pass", begins: "run" },
    { see: new RegExp(`^ {2}Failed (?<key>\\S.*?)${TIME}`), do: "title", begins: "block", say: "Failed $1" },
  ],
  parts: {
    run: { rows: RUN },
    block: {
      rows: [
        ...RUN,
        { see: /^ {2}(?:Error Message|Stack Trace):$/, do: "drop" },
        { see: /^ +at (?:System|Xunit|NUnit|Microsoft|InvokeStub_\w+)\.|^--- End of stack trace from previous location/, do: "foreign" },
        { see: /^ +at .+ in (.+):line (\d+)$/, do: "own", say: "at $1:$2" },
      ],
      indent: 3,
    },
  },
};

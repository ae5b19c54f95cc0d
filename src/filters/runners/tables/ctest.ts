import type { Row, Runner } from "../runner.ts";

const TEST = String.raw`^ *\d+\/\d+ Test +#(?<key>\d+): `;

const RUN: readonly Row[] = [
  { see: /^ +Start +\d+: |^test \d+$/, do: "drop" },
  {
    see: /^(?:UpdateCTestConfiguration|Constructing a list of tests|Done constructing|Updating test list|Added \d+ tests|Checking test dependency)/,
    do: "drop",
  },
  // With -V each line has the number of its test.
  { see: /^(?<owner>\d+): ?(?:Test command: |Working Directory: |Test timeout computed)/, do: "drop" },
  { see: /^(?<owner>\d+): ?/, do: "log" },
];

export const ctest: Runner = {
  always: [
    { see: /^\d+% tests passed, \d+ tests failed out of \d+$/, do: "totals", begins: "run" },
    { see: /^No tests were found!!!$/, do: "totals", begins: "run" },
    { see: new RegExp(`${TEST}.* Passed +[\\d.]+ sec$`), do: "pass", begins: "run" },
    { see: new RegExp(`${TEST}(?<what>\\S+) \\.*(?<how>\\*\\*\\*.+?) +[\\d.]+ sec`), do: "title", begins: "run", say: "#$1 $2 $3" },
    { see: /^The following tests passed:$/, do: "drop", begins: "passed" },
    { see: /^The following tests FAILED:$/, do: "drop", begins: "failed" },
    {
      see: /^(?:Internal ctest changing into|Test project |Total Test time|Errors while running CTest|Output from these tests are in:|Use "--rerun-failed)/,
      do: "drop",
    },
  ],
  parts: {
    run: { rows: RUN },
    passed: { outside: true, rows: [{ see: /^\t\S/, do: "pass" }], blank: "run" },
    failed: { outside: true, rows: [{ see: /^\t *(?<key>\d+) - /, do: "brief" }], blank: "run" },
  },
};

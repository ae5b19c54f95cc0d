import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^\d+\) (?<key>\S.*)$/, do: "title", begins: "block" };
const DOX: Row = { see: /^ [✘✗] (?<key>.*)$/, do: "title", begins: "dox" };
const PASSED: Row = { see: /^ [✔↩∅☢⚠] /, do: "pass", begins: "run" };

export const phpunit: Runner = {
  always: [
    {
      see: /^Tests: \d+, Assertions: \d+.*\.$|^OK(?:, but .*!| \(\d+ tests?, \d+ assertions?\))$|^No tests executed!$/,
      do: "totals",
      begins: "run",
    },
    { see: /^PHPUnit \d[\d.]* by |^(?:Runtime|Configuration): +\S|^Time: [\d:.]+, Memory: /, do: "drop", begins: "run" },
    { see: /^There (?:was|were) \d+ (?:error|failure)s?:$/, do: "drop", begins: "failures" },
    { see: /^There (?:was|were) \d+ [\w ]+:$/, do: "keep", begins: "others" },
    { see: /^Summary of non-successful tests:$/, do: "drop", begins: "summary" },
    { see: /^--$/, do: "drop" },
  ],
  dots: /^(?:[.FEWSIRNDP]*\.[.FEWSIRNDP]*|[.FEWSIRNDP]+ +\d+ \/ \d+ \( *\d+%\))$/,
  parts: {
    run: { rows: [PASSED, DOX, { see: /^\S/, do: "group" }] },
    failures: { outside: true, rows: [TITLE] },
    others: { outside: true, rows: [] },
    block: { rows: [TITLE, { see: /^(?:\/|phar:).*\/(?:vendor|phpunit[^/]*)\/.*:\d+$/, do: "drop" }] },
    // --testdox
    dox: { rows: [PASSED, DOX, { see: /^ {3}│ *$/, do: "drop" }, { see: /^ {3}│ /, do: "keep", say: "" }] },
    summary: {
      outside: true,
      rows: [
        { see: /^ [✘✗] (?<key>.*)$/, do: "brief" },
        { see: /^ [↩∅☢⚠] /, do: "keep" },
        { see: /^ {3}│ *$/, do: "drop" },
      ],
      rest: "echo",
    },
  },
};

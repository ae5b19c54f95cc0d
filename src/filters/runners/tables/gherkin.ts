import { JS_FRAMES, TRACEBACK, tracebackParts } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^\d+\) Scenario(?: Outline)?: (?<key>.*?) +# (\S+)$/, do: "title", begins: "block", say: "Scenario: $1 # $2" };

const SCENARIOS: readonly Row[] = [
  TITLE,
  { see: /^ {2,4}(?:Scenario(?: Outline)?|Example): (?<owner>.*?) +# \S+:\d+$/, do: "logged", begins: "steps" },
  { see: /^(?:@\S+ ?)*Feature: .*# \S+:\d+$|^ {2}Background: .*# \S+:\d+$/, do: "drop", begins: "feature" },
];

/** Features in plain words: behave, cucumber. */
export const gherkin: Runner = {
  always: [
    { see: /^\d+ (?:features?|rules?|scenarios?|steps?) (?:passed, \d+ failed\b.*|\(.*\))$/, do: "totals", begins: "run" },
    { see: /^Took \d+m[\d.]+s$|^\d+m[\d.]+s(?: \(executing steps: .*\))?$/, do: "drop", begins: "run" },
    { see: /^Failing scenarios:$/i, do: "drop", begins: "failing" },
    { see: /^Failures:$/, do: "drop", begins: "run" },
    { see: /^You can implement step definitions for undefined steps with these snippets:$/, do: "drop", begins: "snippets" },
  ],
  dots: /^[.FUAPS-]+$/,
  parts: {
    run: { rows: SCENARIOS },
    feature: { outside: true, rows: SCENARIOS, rest: "quiet" },
    // Steps look alike, whether they passed or not: only the list in the end tells which scenarios failed.
    steps: {
      rows: [...SCENARIOS, { see: /^ {4,6}((?:Given|When|Then|And|But|\*) .*?) +# (\S+)$/, do: "logged", say: "$1 # $2" }, TRACEBACK],
      indent: 4,
    },
    ...tracebackParts([...SCENARIOS, TRACEBACK]),
    failing: {
      outside: true,
      rows: [
        { see: /^ {2}(\S+:\d+) +(?<key>.*\S)\s*$/, do: "title", say: "failing: $1 $2" },
        { see: /^cucumber (\S+:\d+) # Scenario(?: Outline)?: (?<key>.*)$/, do: "title", say: "failing: $1 $2" },
      ],
    },
    block: {
      rows: [
        TITLE,
        { see: /^ {3}✔ /, do: "drop" },
        { see: /^ {3}([✖?-] .*)$/, do: "keep", say: "$1" },
        { see: /^ {7}(Undefined\.) Implement with the following snippet:$/, do: "keep", begins: "snippet", say: "$1" },
        ...JS_FRAMES,
        { see: /^\s+\+ expected - actual$/, do: "again", begins: "diff" },
      ],
      indent: 7,
    },
    diff: { rows: [TITLE, ...JS_FRAMES.map((row): Row => ({ ...row, begins: "block" }))], rest: "again", indent: 7 },
    snippet: { rows: [TITLE, { see: /^ {9,}\S/, do: "drop" }] },
    snippets: { outside: true, rows: [{ see: /^/, do: "drop" }] },
  },
  titles: "owners",
};

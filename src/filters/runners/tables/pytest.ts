import { PYTEST_FRAMES, TRACEBACK, tracebackParts } from "../frames.ts";
import type { Row, Runner } from "../runner.ts";

const TITLE: Row = { see: /^_+ (?<key>.+?) _+$/, do: "title", begins: "block", say: "$1" };

const RESULTS: readonly Row[] = [
  { see: /^(\S.* (?:SKIPPED|XFAIL) \((?<why>.+)\))\s*(?:\[ *\d+%\])?$/, do: "skip", say: "$1" },
  { see: /^\S.* (?:PASSED|SKIPPED|XFAIL|XPASS|SUBPASS(?:ED)?|SUBSKIP(?:PED)?)(?: \(.*\))?\s*(?:\[ *\d+%\])?$/, do: "pass" },
  { see: /^(?:\[gw\d+\] )?\[ *\d+%\] (?:PASSED|SKIPPED|XFAIL|XPASS|SUBPASS(?:ED)?) /, do: "pass" },
  { see: /^(?=.*::)(?<key>(?<id>\S.*) (?:FAILED|ERROR))\s*(?:\[ *\d+%\])?$/, do: "brief" },
  { see: /^(?:\[gw\d+\] )?\[ *\d+%\] (?<key>(?:FAILED|ERROR) (?<id>\S.*?))\s*$/, do: "brief" },
  { see: /^(?:\S+\.\w+ )?[.FEsxXpPRuUrSw,-]+\s*\[ *(?:\d+%|\d+\/\d+)\]$/, do: "pass" },
  { see: /^\S+\.\w+ [.FEsxXpPRuUrSw,-]*\.[.FEsxXpPRuUrSw,-]*$/, do: "pass" },
];

const PREAMBLE: readonly Row[] = [
  {
    see: /^(?:platform \w+ -- Python|cachedir: |rootdir: |configfile: |testpaths: |plugins: |hypothesis profile|benchmark: \d|asyncio: mode=|timeout: |django: |collecting \.\.\.)/,
    do: "drop",
  },
  { see: /^(?:collecting \.\.\. )?collected \d+ items?(?: \/ \d+ \w+)*$/, do: "drop" },
  {
    see: /^(?:gw\d+ (?:I|C|ok|\[\d+\])(?: \/ )?)+$|^\d+ workers \[\d+ items?\]|^\[gw\d+\] (?:\w+ )?Python \d|^scheduling tests via \w+$|^bringing up nodes\.\.\.$/,
    do: "drop",
  },
  // xdist announces each test, with a space behind it.
  { see: /^\S+\.py::.* $/, do: "drop" },
];

const HINT: Row = {
  see: /^E\s*$|^E\s+\?[\s^~+-]*$|^E\s+(?:Omitting \d+ identical items, use -vv to show|Use -v+ to get (?:more|the full) diff)$/,
  do: "drop",
};

const BLOCK: readonly Row[] = [
  { see: /^(?:_ ){4,}_?$/, do: "drop", begins: "block" },
  TITLE,
  { see: /^-+ (Captured .+?) -+$/, do: "keep", begins: "captured", say: "$1:" },
  HINT,
  { see: /^E\s+Full diff:$/, do: "again", begins: "diff", say: "E Full diff:" },
  { see: /^>\s+/, do: "keep", say: "> " },
  { see: /^E\s+/, do: "keep", say: "E " },
  ...PYTEST_FRAMES,
  TRACEBACK,
  { see: /^self = <[^>]*>, /, do: "keep", say: "" },
  { see: /^self = <.*>$|^\[gw\d+\] \w+ -- Python |^Hint: make sure your test modules/, do: "drop" },
];

export const pytest: Runner = {
  always: [
    {
      see: /^(?:=+ )?(\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)\b[a-z\d, ]* in [\d.]+s(?: \([\d:]+\))?)(?: =+)?$/,
      do: "totals",
      begins: "run",
      say: "$1",
    },
    { see: /^(?:=+ )?(no tests ran in [\d.]+s)(?: =+)?$/, do: "totals", begins: "run", say: "$1" },
    { see: /^=+ test session starts(?: \(.*\))? =+$/, do: "drop", begins: "run" },
    { see: /^=+ (?:ERRORS|FAILURES|XFAILURES) =+$/, do: "drop", begins: "blocks" },
    { see: /^=+ (?:X?PASSES) =+$/, do: "drop", begins: "passes" },
    { see: /^=+ short test summary info =+$/, do: "drop", begins: "summary" },
    { see: /^=+ warnings summary(?: \(.*\))? =+$/, do: "drop", begins: "warnings" },
    { see: /^(?:=+ tests coverage =+|[-_]+ coverage: .* [-_]+)$/, do: "drop", begins: "coverage" },
    { see: /^!+ (.+?) !+$/, do: "keep", say: "$1" },
    { see: /^=+ (.+?) =+$/, do: "keep", begins: "run", say: "$1" },
  ],
  parts: {
    // The end of an output alone may begin among failures.
    run: { rows: [{ ...TITLE, see: /^_{3,} (?<key>.+?) _{3,}$/ }, ...RESULTS, ...PREAMBLE] },
    blocks: { outside: true, rows: [TITLE] },
    block: { rows: [...BLOCK, { see: /^ {4}/, do: "drop" }] },
    source: { rows: [...BLOCK, { see: /^ {4}\s*/, do: "keep", say: "  " }] },
    // The two values in full, line by line; they were told in one line each.
    diff: { rows: [HINT, { see: /^E\s+/, do: "again", say: "E " }, ...BLOCK] },
    foreign: { rows: [...BLOCK, { see: /^ {4}/, do: "drop" }] },
    ...tracebackParts(BLOCK),
    captured: { rows: [TITLE, ...BLOCK.slice(2, 3)] },
    passes: { outside: true, rows: [{ see: /^_+ .+ _+$|^-+ Captured .+ -+$/, do: "pass" }], rest: "quiet" },
    warnings: {
      outside: true,
      rows: [
        { see: /^-- Docs: |^\S+\.py(?:::.*|: \d+ warnings?)$| {4}\S/, do: "drop" },
        { see: /^ {2}(\S.*:\d+: \w+: )/, do: "keep", say: "$1" },
      ],
    },
    summary: {
      outside: true,
      rows: [
        { see: /^PASSED \S/, do: "pass" },
        { see: /^(?<key>(?:FAILED|ERROR) (?<id>\S.*?))(?: - .*)?$/, do: "brief" },
        { see: /^(?:SKIPPED|XFAIL|XPASS|SUBFAIL)/, do: "keep" },
      ],
      rest: "echo",
    },
    coverage: {
      outside: true,
      rows: [
        { see: /^TOTAL\s/, do: "totals", begins: "coverage" },
        { see: /^-+$| 100%\s*$/, do: "drop" },
      ],
    },
  },
  named: (key) => {
    const name = key.replace(/^(?:ERROR (?:at \w+ of|collecting)|FAILED|ERROR) | (?:FAILED|ERROR)$/, "");
    const test = name.includes(".py::") ? name.slice(name.indexOf("::") + 2) : name;
    return `${/^ERROR | ERROR$/.test(key) ? "ERROR " : ""}${test.replaceAll("::", ".")}`;
  },
  retitled: (title, { id }) => {
    const kind = /^ERROR (?:at \w+ of|collecting) /.exec(title);
    return kind ? `${kind[0]}${id}` : `FAILED ${id}`;
  },
};

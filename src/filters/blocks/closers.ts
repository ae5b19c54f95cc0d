import { endOfRun } from "../../text/group-by.ts";
import type { Line } from "../line.ts";

/** The line that a program sums up with: behind it, and what belongs to it, another one speaks. */
export interface Closer {
  readonly see: RegExp;
  /** Programs that print it; the first is the command whose rules know what stands above. */
  readonly by: readonly [string, ...string[]];
  /** What stood shortly before, where the line may be anybody's. */
  readonly after?: RegExp;
  /** Lines that still belong to it. */
  readonly more?: RegExp;
  /** Lines that show, some way below, that all above them still belongs to it. */
  readonly until?: RegExp;
}

const PACKAGES = /^(?:(?:ok {2}|FAIL|\? {3})\t\S|(?:FAIL|PASS)$|exit status \d+$|=== (?:RUN|PAUSE|CONT|NAME) |\s*--- (?:FAIL|PASS|SKIP): )/;

/** Only sums that stand at the end of a run. One that is missing here leaves its block open, which then is doubtful beside a text that was asked for. */
export const CLOSERS: readonly Closer[] = [
  {
    by: ["pytest", "tox", "nox"],
    see: /^(?:=+ )?(?:\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)\b[a-z\d, ]*|no tests ran) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/,
  },
  { by: ["unittest", "python", "nose2"], see: /^(?:OK|FAILED|NO TESTS RAN)(?: \([\w =,]+\))?$/, after: /^Ran \d+ tests? in [\d.]+s$/ },
  { by: ["jest", "react-scripts"], see: /^Tests: +\d.* total$/, more: /^(?:Snapshots: +\d|Time: +[\d.]+ |Ran all test suites)/ },
  {
    by: ["vitest"],
    see: /^ *Tests {2,}(?:no tests|\d+ \w+)/,
    more: /^ +(?:Type Errors|Errors|Start at|Duration|Snapshots|Isolate) {2,}\S|^ % Coverage report from/,
  },
  { by: ["mocha", "nyc", "c8"], see: /^ {2}\d+ passing \([\d.]+m?s\)$/, more: /^ {2,}\S/, until: /^ {2}\d+\) \S|^ {6,}at .*:\d+:\d+\)?$/ },
  { by: ["node", "tsx"], see: /^ℹ duration_ms [\d.]+$/, more: /^(?:✖ |test at | {2,}\S)/ },
  { by: ["node", "tap", "tsx"], see: /^# duration_ms [\d.]+$/ },
  {
    by: ["tap", "node", "tape", "bats", "prove"],
    see: /^# (?:fail +\d+|ok|failed \d+ of \d+.*)$/,
    more: /^# (?:skip|todo|cancelled|duration_ms) /,
  },
  { by: ["go", "gotestsum"], see: /^(?:ok {2}|FAIL)\t\S+(?:\t.*| \[.+\])?$/, more: PACKAGES },
  {
    by: ["cargo"],
    see: /^test result: (?:ok|FAILED)\. .*filtered out; finished in [\d.]+s$/,
    more: /^(?: +(?:Running (?:unittests |tests\/|benches\/)?\S+ \(|Doc-tests )|running \d+ tests?$|test \S.* \.\.\. |test result: |error: (?:test failed|\d+ targets? failed|doctest failed)| {4}`-)/,
  },
  { by: ["rspec"], see: /^\d+ examples?, \d+ failures?(?:, .*)?$/, more: /^(?:Failed examples:$|rspec \S+ # )/ },
  { by: ["minitest", "ruby", "rails", "rake"], see: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors\b/ },
  { by: ["phpunit", "paratest"], see: /^(?:OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+.*\.)$/ },
  { by: ["playwright"], see: /^ {2}\d+ passed \([\d.]+m?s\)$/, more: /^ *(?:To open last HTML report run:|npx playwright show-report)/ },
  { by: ["bun"], see: /^Ran \d+ tests? across \d+ files?\./ },
  { by: ["deno"], see: /^(?:ok|FAILED) \| \d+ passed/, more: /^error: Test failed$/ },
  {
    by: ["ctest"],
    see: /^Total Test time \(real\) = /,
    more: /^(?:The following tests |\t *\d+ - |Errors while running CTest|Output from these tests are in:|Use "--rerun-failed)/,
  },
  { by: ["gradle"], see: /^BUILD (?:SUCCESSFUL|FAILED) in /, more: /^\d+ actionable tasks?: / },
  { by: ["mvn"], see: /^\[INFO\] BUILD (?:SUCCESS|FAILURE)$/, more: /^\[(?:INFO|ERROR|WARNING)\]/ },
  { by: ["dotnet"], see: /^(?:Failed|Passed|Skipped)! +- Failed: +\d+, Passed: +\d+/ },
  { by: ["eslint"], see: /^✖ \d+ problems? \(/, more: /^ {2}\d+ errors? and \d+ warnings? potentially fixable/ },
  { by: ["mypy"], see: /^(?:Found \d+ errors? in \d+ files? \(|Success: no issues found in \d+ source files?$)/ },
  { by: ["black"], see: /^(?:All done! ✨|Oh no! 💥)/, more: /^\d+ files? / },
  { by: ["ruff"], see: /^(?:Found \d+ errors?(?: \(.*\))?\.|All checks passed!)$/, more: /^(?:\[\*\] \d+ fixable|No fixes available)/ },
  { by: ["prettier"], see: /^(?:\[warn\] Code style issues found in |All matched files use Prettier code style!$)/ },
  { by: ["pylint"], see: /^Your code has been rated at / },
  { by: ["tsc"], see: /^Found \d+ errors? in / },
  { by: ["cargo"], see: /^ +Finished [`\w]/ },
];

const ANY = new RegExp(CLOSERS.map(({ see }) => `(?:${see.source})`).join("|"));
const LONGEST = 300;
const BEFORE = 3;

/** The program that sums up at a line, and where what belongs to its sums ends. null: none does. */
export function closingAt(lines: readonly Line[], at: number): { readonly closer: Closer; readonly end: number } | null {
  const { text } = lines[at]!;
  if (text.length > LONGEST || !ANY.test(text)) return null;
  const before = lines.slice(Math.max(0, at - BEFORE), at);
  const closer = CLOSERS.find(({ see, after }) => see.test(text) && (!after || before.some((line) => after.test(line.text))));
  return closer ? { closer, end: endOfSums(lines, at + 1, closer) } : null;
}

function endOfSums(lines: readonly Line[], from: number, { more, until }: Closer): number {
  let end = from;
  for (let at = from; more && at < Math.min(lines.length, end + (until ? FAR : lines.length)); at++) {
    const { text } = lines[at]!;
    if (text === "" || text.length > LONGEST) continue;
    if (until?.test(text) || (at === endOfRun(lines, end, ({ text }) => text === "") && more.test(text))) end = at + 1;
    else if (!until) break;
  }
  return end;
}

/** How far below the last line that is known another one may follow. */
const FAR = 60;

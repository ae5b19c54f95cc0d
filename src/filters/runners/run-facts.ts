import { endOfRun } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import { GOING, type RunnerLine } from "./read-lines.ts";
import { findRepeatedWords } from "./repeated-words.ts";
import type { LineRole, Runner } from "./runner.ts";

/** A line that may be kept, and the lines it stands for. */
export interface KeptLine {
  text: string;
  readonly told: RunnerLine;
  readonly lines: Line[];
}

/** What is known only after the whole output is read. */
export interface RunFacts {
  /** null: the line goes, whatever else is known. */
  readonly stays: readonly (KeptLine | null)[];
  readonly isFewSkipped: boolean;
  deedAt(n: number): LineRole | undefined;
  /** The line that tells at length of the test this one names, or the one that named it before. */
  homeOf(brief: KeptLine): KeptLine | null;
  /** It names a group, and the failing tests in it are told of. */
  isGroup(told: RunnerLine): boolean;
  isVoid(told: RunnerLine): boolean;
  isSaid(told: RunnerLine): boolean;
  isSaidAgain(n: number): boolean;
  /** The first line of a stack without any place of the person's own. */
  isOnlyPlace(n: number): boolean;
  isAboveTests(n: number): boolean;
  /** The first test that was skipped for the reason this one names. null: it names none. */
  reasonOf(skipped: KeptLine): KeptLine | null;
  /** Sums of no test at all, or the name above them; there are others. */
  isOfNoTest(n: number): boolean;
  isKnownSource(n: number): boolean;
  isOfPassed(told: RunnerLine): boolean;
  /** A line that looks like an error among lines that go: it stays, once. */
  alarm(stay: KeptLine): KeptLine | null;
}

export function gatherFacts(runner: Runner, told: readonly RunnerLine[]): RunFacts {
  const stays = told.map((one): KeptLine | null =>
    GOING.has(one.deed) ? null : { text: inGroups(one.text, one), told: one, lines: [one.line] },
  );
  const titles = titlesIn(runner, stays);
  const isFewSkipped = told.filter(({ deed }) => deed === "skip").length <= FEW_SKIPPED;
  const passed = keysOf(told, isFewSkipped ? ["pass"] : ["pass", "skip"]);
  const opened = keysOf(told, ["opens"]);
  const around = new Set(told.flatMap(({ deed, path }) => (deed === "title" || deed === "brief" ? path : [])));
  const voids = voidBlocks(told, around);
  const said = new Set(told.filter(isTold).map(({ line }) => bare(line.text)));
  const again = findRepeatedWords(told);
  const isWhole = told.some(({ deed }) => deed === "totals");
  const alarms = new Map<string, KeptLine>();
  const reasons = new Map<string, KeptLine>();
  const excerpts = new Map<string, number>();
  for (const [n, { deed, text }] of told.entries()) if (deed === "excerpt" && !excerpts.has(text)) excerpts.set(text, n);
  const placed = new Set(told.filter(({ deed }) => deed === "own").map(({ block }) => block));
  return {
    stays,
    isFewSkipped,
    deedAt: (n) => told[n]?.deed,
    homeOf: homes(runner, titles),
    isGroup: ({ key }) => titles.size > 0 && opened.has(key) && around.has(key),
    isVoid: ({ block }) => voids.has(block),
    isSaid: ({ line }) => said.has(bare(line.text)),
    isSaidAgain: (n) => again.has(n),
    isOnlyPlace: (n) => !isPlace(told[n - 1]) && !stackFrom(told, n).some(({ deed }) => deed === "own" || deed === "shows"),
    isAboveTests: (n) => isAboveTests(told, n),
    reasonOf(stay) {
      const why = stay.told.found.why;
      if (why === undefined) return null;
      const first = reasons.get(why) ?? stay;
      reasons.set(why, first);
      return first;
    },
    isOfNoTest: (n) => isWhole && told.slice(n, n + NEAR).find(({ deed }) => deed === "none" || deed === "totals")?.deed === "none",
    isKnownSource(n) {
      const { text, block } = told[n]!;
      return block > 0 && placed.has(block) && (text.length > LONG_SOURCE || excerpts.get(text) !== n);
    },
    isOfPassed: ({ owner: { name } }) =>
      (name !== "" && passed.has(name)) ||
      (isWhole && runner.titles !== undefined && titles.size === 0) ||
      (isWhole && runner.titles === "owners" && name !== "" && !titles.has(name)),
    alarm(stay) {
      if (stay.told.line.errors === 0) return null;
      const before = alarms.get(stay.text);
      if (!before) alarms.set(stay.text, stay);
      return before ?? stay;
    },
  };
}

/** How far below the name of a program its sums are, if it has no test. */
const NEAR = 5;
const LONG_SOURCE = 100;

/** Of more skipped tests the sums are enough. */
const FEW_SKIPPED = 5;

const keysOf = (told: readonly RunnerLine[], deeds: readonly LineRole[]): ReadonlySet<string> =>
  new Set(told.filter(({ deed }) => deeds.includes(deed)).map(({ key }) => key));

/** A title with the groups it is in: `✖ cart > adds`. Files are told by its place. */
function inGroups(text: string, { path, key }: RunnerLine): string {
  const groups = path.filter((name) => !FILE.test(name));
  return groups.length > 0 && text.endsWith(key) ? `${text.slice(0, text.length - key.length)}${[...groups, key].join(" > ")}` : text;
}

const FILE = /^\S*[\\/.]\S*\.[cm]?[jt]sx?$|^\S+\.[cm]?[jt]sx?$/;

/** Blocks about a group, if the failing tests in it name it. */
function voidBlocks(told: readonly RunnerLine[], around: ReadonlySet<string>): ReadonlySet<number> {
  const named = new Set(
    told.filter(({ key, deed }) => (deed === "title" || deed === "named") && around.has(key)).map(({ block }) => block),
  );
  return new Set(told.filter(({ deed, block }) => deed === "void" && named.has(block)).map(({ block }) => block));
}

type Titles = ReadonlyMap<string, readonly KeptLine[]>;

function titlesIn(runner: Runner, stays: readonly (KeptLine | null)[]): Titles {
  const titles = new Map<string, KeptLine[]>();
  for (const stay of stays) {
    if (stay === null) continue;
    const { deed, key } = stay.told;
    if ((deed !== "title" && deed !== "named") || key === "") continue;
    for (const name of new Set([key, ...(runner.aliases?.(key) ?? [])])) {
      const named = titles.get(name);
      if (named) named.push(stay);
      else titles.set(name, [stay]);
    }
  }
  return titles;
}

/** Where the lines go that name a failing test once more. */
function homes(runner: Runner, titles: Titles): (brief: KeptLine) => KeptLine | null {
  const retitled = new Set<KeptLine>();
  const first = new Map<string, KeptLine>();
  return (brief) => {
    const { key, found } = brief.told;
    const named = titles.get(key);
    const title = named?.find((one) => !retitled.has(one)) ?? named?.[0];
    if (!title) return withoutTitle(brief, first);
    const text = runner.retitled?.(title.text, found) ?? inGroups(title.text, brief.told);
    if (retitled.has(title) || text === title.text) return title;
    title.text = text;
    retitled.add(title);
    return title;
  };
}

/** The fullest of the lines that name it stays, where the first one was. */
function withoutTitle(brief: KeptLine, first: Map<string, KeptLine>): KeptLine | null {
  const { path, key } = brief.told;
  const name = [...path, key].join("\0");
  const before = first.get(name);
  if (!before) first.set(name, brief);
  else if (brief.text.trim().length > before.text.trim().length) before.text = brief.text;
  return before ?? null;
}

const STAYING: ReadonlySet<LineRole> = new Set(["keep", "totals", "title", "named", "own", "shows"]);
const isTold = ({ deed, block }: RunnerLine): boolean => STAYING.has(deed) || (block > 0 && deed !== "echo" && deed !== "brief");

/** A line without what a runner draws in front of it, and without the kind of the error. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(?:[E│#>→]\s+){1,3}/, "")
    .replace(/^[\w.$]*(?:Error|Exception)(?: \[\w+\])?: /, "");

const PLACES: ReadonlySet<LineRole> = new Set(["own", "shows", "foreign", "source", "points"]);
const isPlace = (one: RunnerLine | undefined): boolean => one !== undefined && PLACES.has(one.deed);
const stackFrom = (told: readonly RunnerLine[], from: number): readonly RunnerLine[] => told.slice(from, endOfRun(told, from, isPlace));

/** The name of a group is followed by names of groups in it and then by a test, each further to the right. */
function isAboveTests(told: readonly RunnerLine[], n: number): boolean {
  if (depth(told[n]!) === 0 && !told[n]!.afterBlank) return false;
  let at = n;
  while (told[at]!.deed === "group" && told[at + 1] && depth(told[at + 1]!) > depth(told[at]!)) at++;
  return TESTS.has(told[at]!.deed);
}

const TESTS: ReadonlySet<LineRole> = new Set(["pass", "skip", "brief", "quiet"]);
const depth = ({ line }: RunnerLine): number => line.text.search(/\S/);

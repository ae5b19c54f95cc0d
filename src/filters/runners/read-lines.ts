import { isBlank, type Line } from "../line.ts";
import type { LineRole, Row, Runner, RunnerPart } from "./runner.ts";

/** A line of a test run, and what its runner's table says about it. */
export interface RunnerLine {
  readonly line: Line;
  readonly deed: LineRole;
  /** What its row found in it, by name. */
  readonly found: Readonly<Record<string, string | undefined>>;
  /** What is shown of it, if it may stay. */
  readonly text: string;
  readonly key: string;
  /** The groups it stands in, as far as the runner opened them above it. */
  readonly path: readonly string[];
  /** The test that printed it, as far as the output says. */
  readonly owner: LineOwner;
  /** The number of the title it stands below; 0 if it stands below none. */
  readonly block: number;
  readonly afterBlank: boolean;
  /** Some row is about it. */
  readonly fits: boolean;
}

/** Shared by lines printed together: the last of them may name the test. */
export interface LineOwner {
  name: string;
}

/** Longer lines are not the runner's; they stay. It bounds what a pattern may cost, too. */
const MAX_LINE = 2000;

/** Reads lines by the table. Blank ones are left out: they say nothing. */
export function readRunnerLines(runner: Runner, lines: readonly Line[]): RunnerLine[] {
  const { parts, always, named = asItIs } = runner;
  const told: RunnerLine[] = [];
  let part: RunnerPart = parts.run;
  let owner: LineOwner = { name: "" };
  const groupsAbove = nesting();
  let titles = 0;
  let block = 0;
  let afterBlank = true;
  for (const line of lines) {
    if (isBlank(line)) {
      if (part.blank) part = parts[part.blank]!;
      afterBlank = true;
      continue;
    }
    const row = rowFor(line.text, always, part.rows, part === parts.run ? runner.dots : undefined);
    const groups = row && namesGroups(row) ? row.see.exec(line.text)?.groups : undefined;
    if (row?.do === "title") block = ++titles;
    if (row?.do === "totals" || row?.begins === "run" || (row?.begins && parts[row.begins]!.outside)) block = 0;
    if (groups?.owner !== undefined) owner = { name: named(groups.owner.trim()) };
    if (groups?.by !== undefined) owner.name = named(groups.by.trim());
    const deed = row?.do ?? part.rest ?? "keep";
    const key = named(groups?.key?.trim() ?? "");
    told.push({
      line,
      deed,
      found: groups ?? NOTHING,
      text: GOING.has(deed) ? "" : textOf(line.text, row, part.indent ?? 0),
      key,
      path: key !== "" && PLACED.has(deed) ? groupsAbove(line.text, key, deed) : NOWHERE,
      owner,
      block,
      afterBlank,
      fits: row !== null,
    });
    if (row?.begins !== undefined) {
      part = parts[row.begins]!;
      if (groups?.owner === undefined && part.rest !== "log") owner = { name: "" };
    }
    afterBlank = false;
  }
  return withoutStrangers(told);
}

/** Follows the groups that are open, by how far right they begin. */
function nesting(): (text: string, key: string, deed: LineRole) => readonly string[] {
  let open: { readonly depth: number; readonly key: string }[] = [];
  return (text, key, deed) => {
    const depth = text.search(/\S/);
    open = open.filter((group) => group.depth < depth).slice(0, MAX_DEPTH);
    const path = open.map((group) => group.key);
    if (deed === "opens") open.push({ depth, key });
    return path;
  };
}

const MAX_DEPTH = 20;
const PLACED: ReadonlySet<LineRole> = new Set(["opens", "title", "brief"]);
const NOWHERE: readonly string[] = [];

/** After the last line that is surely the runner's, a line that fits no row is another program's. */
function withoutStrangers(told: RunnerLine[]): RunnerLine[] {
  for (let n = told.length - 1; n >= 0 && !OWN.has(told[n]!.deed); n--) {
    const one = told[n]!;
    if (!one.fits) told[n] = { ...one, deed: "keep", text: one.line.text };
  }
  return told;
}

const OWN: ReadonlySet<LineRole> = new Set(["totals", "title", "brief", "pass", "skip", "own", "foreign", "shows"]);

/** Whatever the rest of the output says, these go. */
export const GOING: ReadonlySet<LineRole> = new Set(["pass", "drop", "points", "opens", "void"]);

const NOTHING = {};
const asItIs = (key: string): string => key;
const PROGRESS: Row = { see: /^/, do: "drop" };

function rowFor(text: string, always: readonly Row[], rows: readonly Row[], dots: RegExp | undefined): Row | null {
  if (dots?.test(text)) return PROGRESS;
  if (text.length > MAX_LINE) return null;
  for (const row of always) if (row.see.test(text)) return row;
  for (const row of rows) if (row.see.test(text)) return row;
  return null;
}

/** Few rows do, and looking for groups costs more than the rest. */
const NAMES = new WeakMap<Row, boolean>();
function namesGroups(row: Row): boolean {
  const known = NAMES.get(row);
  if (known !== undefined) return known;
  const names = row.see.source.includes("(?<");
  NAMES.set(row, names);
  return names;
}

function textOf(text: string, row: Row | null, indent: number): string {
  const said = row?.say === undefined ? text : text.replace(row.see, row.say);
  return (indent > 0 && said.search(/\S/) >= indent ? said.slice(indent) : said).trimEnd();
}

import { splitRuns } from "../../text/group-by.ts";
import { isErrorShaped } from "../errors.ts";
import { heading, type Line, standFor } from "../line.ts";
import { type PathInList, pathFamilies } from "../text/paths.ts";
import { quoteListedName } from "../text/quote-names.ts";
import { weighLines } from "./weigh-text.ts";

/** A row that is about one path: words before it, the path, words behind it. */
interface PathRow {
  readonly line: Line;
  readonly before: readonly string[];
  readonly path: string;
  readonly after: readonly string[];
}

export interface PathRowOptions {
  /** git lists by path, and knows its objects by their first characters. */
  readonly isGit?: boolean;
}

const FEWEST = 3;
const MOST_WORDS = 16;
const LONGEST = 500;
/** So much must be won. */
const SHARE = 0.05;

/** Rows that are about one path each, whichever program prints them: each folder is said once, and what rows say beside the path stays with its name. */
export function foldPathRows(lines: readonly Line[], options: PathRowOptions = {}): readonly Line[] {
  const shown: Line[] = [];
  const words = lines.map(wordsOf);
  for (let at = 0; at < lines.length; ) {
    const run = runAt(lines, words, at);
    const told = run && tell(run, options);
    shown.push(...(told ?? (run ? lines.slice(at, at + run.length) : [lines[at]!])));
    at += run?.length ?? 1;
  }
  return shown.length < lines.length || shown.some((line, at) => line !== lines[at]) ? shown : lines;
}

const NAME = String.raw`[\w.@+~%=,#$()[\]{}-]`;
const PATH = new RegExp(`^(?:${NAME}*/)+${NAME}*$`);
const isPath = (word: string): boolean => word.includes("/") && PATH.test(word) && /[A-Za-z_]/.test(word);
/** A file has an ending; a path from a root or a folder's own name need none. Branches, packages and images have neither. */
const isFile = (path: string): boolean => /\.[A-Za-z]\w{0,11}$|^\.{0,2}\/|\/$/.test(path);
const MAY_BE_PATH = new RegExp(`^"?(?:${NAME}|/)+"?$`);
/** Beside other words a name must look like one: with a folder, an ending, or as `Makefile`. */
const NAMES_FILE = new RegExp(`^"?(?:${NAME}*[/.](?:${NAME}|/)*|[A-Z][A-Za-z]{2,})"?$`);
/** ` src/{a => b}/x.ts | 12 ++-` of `--stat`, where blanks may stand in the path. */
const STAT = /^ (\S.*?) +\| +(?:(\d+)(?: ([+-]+))?|Bin(?: (\d+) -> (\d+) bytes)?)$/;

/** null: no row. A line that a rule made, and an error that is more than a file's name, stay. */
function wordsOf({ text, covers, from, errors }: Line): readonly string[] | null {
  if (covers !== 1 || from.length > 0 || text.length > LONGEST) return null;
  const stat = text.startsWith(" ") ? STAT.exec(text) : null;
  if (stat) return [stat[1]!, statOf(stat)];
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || words.length > MOST_WORDS) return null;
  return errors > 0 && isErrorShaped(words.filter((word) => !isPath(word)).join(" ")) ? null : words;
}

/** The rows from here on whose path stands at the same place: what follows it is there in all of them or in none. */
function runAt(lines: readonly Line[], words: readonly (readonly string[] | null)[], at: number): readonly PathRow[] | null {
  const first = words[at];
  if (!first) return null;
  const places = new Set([first, words[at + 1] ?? [], words[at + 2] ?? []].map((row) => row.findLastIndex(isPath)));
  let best: readonly PathRow[] | null = null;
  for (const place of places) {
    const run = place === -1 || place >= first.length ? [] : rowsFrom(lines, words, at, place);
    if (run.length >= FEWEST && run.length > (best?.length ?? 0) && isList(run)) best = run;
  }
  return best;
}

function rowsFrom(lines: readonly Line[], words: readonly (readonly string[] | null)[], at: number, place: number): readonly PathRow[] {
  const isFollowed = words[at]!.length > place + 1;
  const run: PathRow[] = [];
  for (let n = at; n < lines.length; n++) {
    const row = words[n];
    const path = row?.[place];
    if (!row || path === undefined || row.length > place + 1 !== isFollowed || isStat(row) !== isStat(words[at]!)) break;
    if (!isStat(row) && !(row.length === 1 ? MAY_BE_PATH : NAMES_FILE).test(path)) break;
    run.push({ line: lines[n]!, before: row.slice(0, place), path, after: row.slice(place + 1) });
  }
  return run;
}

/** Most are files below a folder, and not every one in another. */
function isList(run: readonly PathRow[]): boolean {
  const below = run.filter(({ path }) => isPath(path));
  return below.length >= run.length * 0.5 && below.filter(({ path }) => isFile(path)).length >= below.length * 0.6;
}

function tell(found: readonly PathRow[], options: PathRowOptions): readonly Line[] | null {
  // `./` says nothing where all begin with it.
  const isHere = found.every(({ path }) => path === "." || /^\.\/./.test(path));
  const run = isHere ? found.map((row) => ({ ...row, path: row.path.replace(/^\.\//, "") })) : found;
  const labels = new Set(run.map(({ before }) => before.join(" ")));
  const isPlain = run[0]!.after.length === 0 && labels.size <= Math.max(FEWEST, run.length / 5);
  const told = isPlain
    ? pathFamilies(run.map(({ line, before, path }) => ({ line, label: before.join(" "), path })))
    : tellValues(run, options);
  const all = weighLines(run.map(({ line }) => line));
  return all - weighLines(told) > all * SHARE ? told : null;
}

/** Rows of git name the words before the path once, if nearly all rows share them. Rows sorted by path are grouped by folder; others keep their order. */
function tellValues(run: readonly PathRow[], { isGit = false }: PathRowOptions): Line[] {
  const usual = isGit ? usualWords(run) : run[0]!.before.map(() => null);
  const said = usual.filter((word) => word !== null);
  const short = (word: string): string => (isGit && OBJECT.test(word) ? word.slice(0, ABBREVIATED) : word);
  const listed = run.map(({ line, path, before, after }): PathInList => {
    const isUsual = before.every((word, n) => (usual[n] ?? word) === word);
    const words = (isUsual ? before.filter((_, n) => usual[n] === null) : before).map(short);
    return { line, path, told: (name) => [...words, quoteListedName(name) + behind(after)].join(" ") };
  });
  const isBrief = run.every(({ before, after }) => before.length + after.length <= 1);
  const between = isBrief ? " " : "\n";
  const isByPath = isGit || run.every(({ path }, n) => n === 0 || run[n - 1]!.path <= path);
  return [
    ...(said.length > 0 ? [heading(`(${said.join(" ")} unless said)`)] : []),
    ...(isByPath ? pathFamilies(listed, between) : inOrder(listed, between)),
  ];
}

/** Where rows of one folder follow one another, it is said once. */
function inOrder(listed: readonly PathInList[], between: " " | "\n"): Line[] {
  return splitRuns(listed, (a, b) => folderOf(a.path) === folderOf(b.path)).flatMap((family) =>
    folderOf(family[0]!.path) === "" || family.length < FEWEST
      ? family.map((one) => standFor(one.told!(one.path), [one.line]))
      : pathFamilies(family, between),
  );
}

const OBJECT = /^[\da-f]{40}(?:[\da-f]{24})?$/;
const ABBREVIATED = 10;
const MOSTLY = 0.8;

/** For each word before the path: what nearly all rows say, or null. */
function usualWords(run: readonly PathRow[]): (string | null)[] {
  return run[0]!.before.map((_, n) => {
    const counts = new Map<string, number>();
    for (const { before } of run) counts.set(before[n]!, (counts.get(before[n]!) ?? 0) + 1);
    const [word, count] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most));
    return count >= run.length * MOSTLY ? word : null;
  });
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);

/** How much, and whether lines came or went; not the length of the drawing. */
function statOf([, , count, drawn = "", from, to]: readonly (string | undefined)[]): string {
  if (count === undefined) return from === undefined ? "|Bin" : `|Bin ${from}->${to}`;
  return `|${count}${drawn.includes("+") ? "+" : ""}${drawn.includes("-") ? "-" : ""}`;
}

const isStat = (words: readonly string[]): boolean => words.length === 2 && words[1]!.startsWith("|");

const behind = (after: readonly string[]): string => (isStat(["", ...after]) ? after[0]! : ["", ...after].join(" "));

import { groupBy, splitRuns } from "../../text/group-by.ts";
import { heading, type Line, standFor } from "../line.ts";
import { excerpt, type SearchForm } from "./search.ts";
import { stampOf } from "./stamps.ts";

const NUMBERED = /^(.+?):(\d+):(.*)$/;
const CONTEXT = /-(\d+)-/g;
const UNNUMBERED = /^([^\s:]*(?:\/[^\s:/]+|[^\s:/]\.[A-Za-z]\w{0,8})):(.*)$/;
/** `12:text` below the name of its file, as ripgrep shows it to people. */
const ROW = /^(\d+)([:-])(.*)$/;
const FEWEST = 3;

interface Match {
  readonly line: Line;
  readonly file: string;
  /** `12:`, `12-` for a line around a match, nothing, or null for the name of the file alone. */
  readonly number: string | null;
  readonly text: string;
}

/** Found lines with each file said once, then `12: text`; files of one folder below it. null: not built so, or the lines of a single file. */
export function groupedMatches(lines: readonly Line[], { wanted, form }: SearchForm): readonly Line[] | null {
  const said = lines.filter(({ text }) => text !== "" && text !== "--");
  if (said.length < FEWEST || form === "files only") return null;
  const isRows = said.filter(({ text }) => rowOf(text)).length > said.length / 2;
  const matches = isRows ? underHeadings(said) : form === "numbered" ? numbered(said) : unnumbered(said);
  return matches && folders(filesOf(matches), wanted);
}

type Found = readonly (Match | Line)[];
const isMatch = (item: Match | Line): item is Match => "file" in item;

/** A line of a log begins with a number too. */
const rowOf = (text: string) => (stampOf(text)?.at === 0 ? null : ROW.exec(text));

/** Rows of a single file have no heading. */
function underHeadings(lines: readonly Line[]): Found | null {
  let file: string | null = null;
  const found: (Match | Line)[] = [];
  for (const [at, line] of lines.entries()) {
    const [, number, sign, text] = rowOf(line.text) ?? [];
    if (number !== undefined && file !== null) found.push({ line, file, number: `${number}${sign}`, text: text! });
    else if (number === undefined && rowOf(lines[at + 1]?.text ?? "")) {
      file = line.text;
      found.push({ line, file, number: null, text: "" });
    } else found.push(line);
  }
  return file === null ? null : found;
}

function numbered(lines: readonly Line[]): Found | null {
  const found = lines.map((line): Match | Line => {
    const [, file, number, text] = NUMBERED.exec(line.text) ?? [];
    return file === undefined || /\s/.test(file) || stampOf(line.text)?.at === 0 ? line : { line, file, number: `${number}:`, text: text! };
  });
  const files = new Set(found.filter(isMatch).map(({ file }) => file));
  const whole = found.map((item) => (isMatch(item) ? item : (context(item, files) ?? item)));
  return whole.filter(isMatch).length < lines.length * 0.6 ? null : whole;
}

/** `a-12-text`, where `a` is a file with a match. */
function context(line: Line, files: ReadonlySet<string>): Match | null {
  for (const found of line.text.slice(0, 1000).matchAll(CONTEXT)) {
    const file = line.text.slice(0, found.index);
    if (files.has(file)) return { line, file, number: `${found[1]}-`, text: line.text.slice(found.index + found[0].length) };
  }
  return null;
}

function unnumbered(lines: readonly Line[]): Found | null {
  const found = lines.map((line): Match | Line => {
    const [, file, text] = UNNUMBERED.exec(line.text) ?? [];
    return file === undefined ? line : { line, file, number: "", text: text! };
  });
  const matches = found.filter(isMatch);
  const files = new Set(matches.map(({ file }) => file));
  return matches.length < lines.length * 0.8 || files.size > matches.length / 2 ? null : found;
}

interface File {
  readonly name: string;
  readonly matches: readonly Match[];
}

function filesOf(found: Found): (File | Line)[] {
  const runs = splitRuns(found, (before, item) => isMatch(before) && isMatch(item) && before.file === item.file);
  return runs.flatMap((run): (File | Line)[] => {
    const matches = run.filter(isMatch);
    return matches.length > 0 ? [{ name: matches[0]!.file, matches }] : (run as Line[]);
  });
}

/** Where three files of one folder follow one another, it is said once. */
function folders(files: readonly (File | Line)[], wanted: readonly string[]): Line[] {
  const inOneFolder = (a: File | Line, b: File | Line) => folderOf(a) !== "" && folderOf(a) === folderOf(b);
  return splitRuns(files, inOneFolder).flatMap((run) => {
    const folder = folderOf(run[0]!);
    const isSaid = run.length >= FEWEST;
    const shown = run.flatMap((file) =>
      "matches" in file ? listMatchesOf(file, isSaid ? ` ${file.name.slice(folder.length)}` : file.name, wanted) : [file],
    );
    return isSaid ? [heading(folder), ...shown] : shown;
  });
}

const folderOf = (file: File | Line): string => ("matches" in file ? file.name.slice(0, file.name.lastIndexOf("/") + 1) : "");

function listMatchesOf({ matches }: File, name: string, wanted: readonly string[]): Line[] {
  const titles = matches.filter(({ number }) => number === null).map(({ line }) => line);
  const rows = rowsOf(matches.filter(isRow), wanted);
  const [only] = rows;
  if (rows.length === 1 && titles.length === 0) return [{ ...only!, text: `${name}:${only!.text}` }];
  return [standFor(name, titles), ...rows];
}

type Row = Match & { readonly number: string };
const isRow = (match: Match): match is Row => match.number !== null;

/** The same text is said once, with the number of each line; not between lines around a match, where order matters. */
function rowsOf(matches: readonly Row[], wanted: readonly string[]): Line[] {
  const hasContext = matches.some(({ number }) => number.endsWith("-"));
  // What a line begins with stays: an edit is made of it.
  const trimEndOfRow = ({ text }: Row) => text.trimEnd();
  let alone = 0;
  const rows = groupBy(matches, (match) => (hasContext || match.number === "" ? `\0${alone++}` : trimEndOfRow(match)));
  return [...rows.values()].map((same) => {
    const text = trimEndOfRow(same[0]!);
    const short = excerpt(text, wanted);
    const sign = same[0]!.number.slice(-1);
    const numbers = same.map(({ number }) => number.slice(0, -1)).join(",");
    const line = standFor(
      sign === "" ? short : `${numbers}${sign}${short}`,
      same.map(({ line }) => line),
    );
    // A line that was cut is not whole: it counts as left out.
    return short === text ? line : { ...line, covers: 0, from: [] };
  });
}

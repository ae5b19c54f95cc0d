import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../problem.ts";
import { parseConfigToml } from "../read.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { blankEnd, blankStart, commentStart, gapAfter, lineBreak } from "./layout.ts";
import { startsWith } from "./locate.ts";
import { lineEnd, lineStart, samePath, scanToml, skipBlank, skipSpace, type TomlMark } from "./scan.ts";
import { tomlKey, tomlValue } from "./toml.ts";

/** The entries of a list of tables, such as `[[mcp.servers]]`, in a TOML text. None where there is no list. */
export function entriesAt(text: string, path: readonly string[], what: string): readonly unknown[] {
  const entries = valueAtPath(parseConfigToml(undefined, text), path) ?? [];
  if (Array.isArray(entries)) return entries;
  throw new ConfigError([{ key: path.join("."), message: `"${path.join(".")}" is not a list of ${what}.` }]);
}

type Entry = Readonly<Record<string, unknown>>;

/** Puts an entry before or behind all others. Only inserts: every byte that was there stays. Null when no safe place was found. */
export function insertEntry(text: string, path: readonly string[], entry: Entry, where: "first" | "last"): string | null {
  const found = placesIn(text, path);
  const before = entriesAt(text, path, "entries");
  return firstThatFits(found, where === "first" ? [entry, ...before] : [...before, entry], [
    where === "first" ? aboveTables(found, entry) : belowTables(found, entry),
    intoArray(found, entry, where),
    intoInlineTable(found, entry),
    `${text}${gapAfter(text)}${entryBlock(found.eol, path, entry)}`,
  ]);
}

/** Puts a value behind all others of a list such as `allow_domains = [ … ]`, which is made where there is none. As `insertEntry`. */
export function insertValue(text: string, path: readonly string[], value: string): string | null {
  const found = placesIn(text, path);
  const table = path.slice(0, -1);
  const line = `${tomlKey(path.slice(-1))} = [${tomlValue(value)}]`;
  const heading = found.marks.find((mark) => mark.kind === "table" && samePath(mark.path, table));
  return firstThatFits(
    found,
    [...entriesAt(text, path, "values"), value],
    [
      intoArray(found, value, "last"),
      heading ? put(text, lineEnd(text, heading.start), `${found.eol}${line}`) : null,
      `${text}${gapAfter(text)}[${tomlKey(table)}]${found.eol}${line}${found.eol}`,
    ],
  );
}

/** Puts another entry where one stood. A comment above it stays: it may still be true. Null when there is no safe way. */
export function replaceEntry(text: string, path: readonly string[], index: number, entry: Entry): string | null {
  const found = placesIn(text, path);
  const element = elementAt(found, index);
  const [first, ...more] = tablesOf(found, index);
  const wanted = entriesAt(text, path, "entries").with(index, entry);
  if (element) return firstThatFits(found, wanted, [cut(text, [element], tomlValue(entry))]);
  if (!first) return null;
  const start = lineStart(text, first.header);
  const rest = cut(text, [{ start, end: first.end }, ...more]);
  return firstThatFits(found, wanted, [put(rest, start, `${entryBlock(found.eol, path, entry)}${rest.length === start ? "" : found.eol}`)]);
}

/** Takes an entry out. What stands around it stays; a comment directly above it goes with it. Null when there is no safe way. */
export function removeEntry(text: string, path: readonly string[], index: number): string | null {
  const found = placesIn(text, path);
  const element = elementAt(found, index);
  const edited = element ? cut(text, [withComma(found, element, index)]) : cut(text, tablesOf(found, index));
  return firstThatFits(found, entriesAt(text, path, "entries").toSpliced(index, 1), [edited]);
}

/** An entry as tables of their own are written. */
export const entryBlock = (eol: string, path: readonly string[], entry: Entry): string =>
  [`[[${tomlKey(path)}]]`, ...Object.entries(entry).map(([key, value]) => `${tomlKey([key])} = ${tomlValue(value)}`), ""].join(eol);

interface Places {
  readonly text: string;
  readonly path: readonly string[];
  readonly eol: string;
  readonly marks: readonly TomlMark[];
}

const placesIn = (text: string, path: readonly string[]): Places => ({ text, path, eol: lineBreak(text), marks: scanToml(text) });

/** Whatever an edit does, the text must say exactly what was wanted, or it is not made. */
function firstThatFits({ text, path }: Places, wanted: readonly unknown[], edits: readonly (string | null)[]): string | null {
  const expected = setAtPath(parseConfigToml(undefined, text), path, wanted);
  // The last of a list written as tables leaves no list behind.
  const gone = wanted.length === 0 ? [setAtPath(parseConfigToml(undefined, text), path, undefined)] : [];
  return edits.find((edited) => edited !== null && [expected, ...gone].some((one) => parsesTo(edited, one))) ?? null;
}

/** Whether a text says this. A table that is empty means the same as none. */
export function parsesTo(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(prune(parseConfigToml(undefined, text)), prune(expected));
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => prune(inner) ?? {});
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const full = Object.entries(value).flatMap(([key, inner]) => {
    const kept = prune(inner);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return full.length === 0 ? undefined : Object.fromEntries(full);
}

/** `[[tools.permissions.bash]]` is there: a new entry goes above the first one and the comment that belongs to it. */
function aboveTables({ text, path, eol, marks }: Places, entry: Entry): string | null {
  const index = marks.findIndex((mark) => mark.kind === "list" && samePath(mark.path, [...path, 0]));
  if (index < 0) return null;
  const at = commentStart(text, marks[index]!.start, marks[index - 1]?.end ?? 0);
  return put(text, at, `${entryBlock(eol, path, entry)}${eol}`);
}

/** The same below the last one. */
function belowTables({ text, path, eol, marks }: Places, entry: Entry): string | null {
  if (!marks.some((mark) => mark.kind === "list" && samePath(mark.path.slice(0, -1), path))) return null;
  const at = Math.min(lineEnd(text, endOf(marks.filter((mark) => startsWith(mark.path, path)))) + 1, text.length);
  const rest = text.slice(at);
  const gap = text.slice(0, at).endsWith("\n") ? eol : eol + eol;
  return put(text, at, `${gap}${entryBlock(eol, path, entry)}${rest === "" || /^\r?\n/.test(rest) ? "" : eol}`);
}

/** `servers = [ … ]` */
function intoArray({ text, path, marks }: Places, entry: Entry | string, where: "first" | "last"): string | null {
  const pair = marks.find((mark) => mark.kind === "pair" && samePath(mark.path, path));
  if (!pair || text[pair.value] !== "[") return null;
  const last = marks.findLast(({ kind, parent }) => kind === "element" && parent === pair);
  if (!last) return put(text, pair.value + 1, tomlValue(entry));
  return where === "first" ? put(text, pair.value + 1, `${tomlValue(entry)}, `) : put(text, last.end, `, ${tomlValue(entry)}`);
}

/** `permissions = { … }` or `mcp = { … }`: such a table can only be added to between its braces, the innermost ones. */
function intoInlineTable({ text, path, marks }: Places, entry: Entry): string | null {
  const pair = marks.findLast((mark) => mark.kind === "pair" && text[mark.value] === "{" && startsWith(path, mark.path));
  if (!pair) return null;
  const empty = text[skipBlank(text, pair.value + 1)] === "}";
  return put(text, pair.value + 1, ` ${tomlKey(path.slice(pair.path.length))} = [${tomlValue(entry)}]${empty ? " " : ","}`);
}

const elementAt = ({ marks, path }: Places, index: number): TomlMark | undefined =>
  marks.find((mark) => mark.kind === "element" && samePath(mark.path, [...path, index]));

interface Range {
  readonly start: number;
  readonly end: number;
}

/** An element with the comma behind it; of the last one with the comma before it. */
function withComma(found: Places, element: TomlMark, index: number): Range {
  const after = skipBlank(found.text, element.end);
  if (found.text[after] === ",") return { start: element.start, end: skipSpace(found.text, after + 1) };
  return { start: elementAt(found, index - 1)?.end ?? element.start, end: element.end };
}

/** The tables of one entry, its own and those below it such as `[mcp.servers.env]`, with the comment directly above and the empty lines below. */
function tablesOf({ text, path, marks }: Places, index: number): (Range & { header: number })[] {
  return marks.flatMap((mark, n) => {
    if ((mark.kind !== "list" && mark.kind !== "table") || !startsWith(mark.path, [...path, index])) return [];
    const next = marks.findIndex(({ kind }, at) => at > n && (kind === "list" || kind === "table"));
    const end = blankEnd(text, lineEnd(text, endOf(marks.slice(n, next < 0 ? undefined : next))) + 1);
    const start = commentStart(text, mark.start, endOf(marks.slice(0, n)));
    return [{ header: mark.start, start: end === text.length ? blankStart(text, start) : start, end }];
  });
}

/** Where the last of them ends; what is inside another ends before it. */
const endOf = (marks: readonly TomlMark[]): number => marks.reduce((end, one) => Math.max(end, one.end), 0);

const cut = (text: string, ranges: readonly Range[], instead = ""): string =>
  ranges.reduceRight((rest, { start, end }) => rest.slice(0, start) + instead + rest.slice(end), text);

const put = (text: string, at: number, insert: string): string => text.slice(0, at) + insert + text.slice(at);

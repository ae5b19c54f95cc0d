import { parseConfigToml } from "../read.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { entryBlock, parsesTo } from "./entries.ts";
import { gapAfter, lineBreak } from "./layout.ts";
import { lineEnd, lineStart, samePath, scanToml, type TomlMark } from "./scan.ts";
import { tomlKey, tomlValue } from "./toml.ts";

/** Where a part of the settings comes from. It is written beside the part, so that it can be found again and replaced. */
export interface Origin {
  readonly file: string;
  /** `2026-11-18` */
  readonly date: string;
}

const mark = ({ file, date }: Origin): string => `# from ${file}, ${date}`;
const MARK = /# from (.+), \d{4}-\d\d-\d\d$/;

/** Entries of one list of tables that stand below one mark. */
export interface MarkedBlock {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly path: readonly string[];
  readonly entries: readonly unknown[];
}

interface Line {
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
  readonly text: string;
}

/** Takes everything out that stands there because of a file. Every other byte stays. */
export function dropMarked(text: string, file: string): string {
  const blocks = markedBlocks(text).filter((block) => block.file === file);
  const single = plainLines(text).filter((line) => MARK.exec(line.text)?.[1] === file && !/^\s*#/.test(line.text));
  const ranges = [...blocks.map(({ start, end }) => ({ start: gapStart(text, start), end })), ...single].sort((a, b) => b.start - a.start);
  return ranges.reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
}

/** The empty line that stands before a block. */
function gapStart(text: string, start: number): number {
  const above = lineStart(text, Math.max(0, start - 1));
  return above < start && text.slice(above, start).trim() === "" ? above : start;
}

/** All blocks of entries that are marked, in order. */
export function markedBlocks(text: string): readonly MarkedBlock[] {
  const lines = plainLines(text);
  return lines.flatMap((line, n): MarkedBlock[] => {
    const file = /^\s*#/.test(line.text) ? MARK.exec(line.text.trim())?.[1] : undefined;
    const header = lines[n + 1]?.text.trim() ?? "";
    if (file === undefined || !/^\[\[.*\]\]$/.test(header)) return [];
    let last = n + 1;
    // A block ends with the first line that is none of its entries.
    while (lines[last + 1] && (lines[last + 1]!.text.trim() === header || /^[ \t]*[^\s#[]/.test(lines[last + 1]!.text))) last++;
    const start = line.start;
    const end = lines[last]!.end;
    const path = headerPath(header);
    const entries = valueAtPath(parseConfigToml(undefined, text.slice(line.end, end)), path);
    return Array.isArray(entries) ? [{ file, start, end, path, entries }] : [];
  });
}

const headerPath = (header: string): readonly string[] => {
  const [first] = scanToml(`${header}\n`);
  return (first?.path ?? []).filter((part) => typeof part === "string");
};

/** Lines that do not begin inside a text of several lines. */
function plainLines(text: string): readonly Line[] {
  const inside = scanToml(text)
    .filter(({ value, end }) => /^("""|''')/.test(text.slice(value, Math.min(end, value + 3))))
    .map(({ value, end }) => [value, end] as const);
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const end = Math.min(lineEnd(text, start) + 1, text.length);
    if (!inside.some(([from, to]) => from < start && start < to))
      lines.push({ start, end, text: text.slice(start, end).replace(/\r?\n$/, "") });
    start = end;
  }
  return lines;
}

/** Puts entries with their mark before a place of the text, or at its end. Null when the text would not say exactly that. */
export function addMarkedEntries(
  text: string,
  path: readonly string[],
  entries: readonly Readonly<Record<string, unknown>>[],
  origin: Origin,
  before: number | null,
): string | null {
  const eol = lineBreak(text);
  const block = `${mark(origin)}${eol}${entries.map((entry) => entryBlock(eol, path, entry)).join("")}`;
  const edited = before === null ? `${text}${gapAfter(text)}${block}` : `${text.slice(0, before)}${block}${eol}${text.slice(before)}`;
  const old = listAt(text, path);
  const index = before === null ? old.length : scanToml(text).filter((one) => isEntry(one, path) && one.start < before).length;
  return said(text, edited, path, old.toSpliced(index, 0, ...entries));
}

const isEntry = ({ kind, path }: TomlMark, list: readonly string[]): boolean => kind === "list" && samePath(path.slice(0, -1), list);

/** Puts a value with its mark in front of all others of a list, which is made where there is none. As above. */
export function addMarkedValue(text: string, path: readonly string[], value: string, origin: Origin): string | null {
  const eol = lineBreak(text);
  const line = `  ${tomlValue(value)}, ${mark(origin)}${eol}`;
  const pair = scanToml(text).find(({ kind, path: at }) => kind === "pair" && samePath(at, path));
  const edited = pair ? intoList(text, pair, line, eol) : underTable(text, path, `${tomlKey(path.slice(-1))} = [${eol}${line}]${eol}`);
  return edited === null ? null : said(text, edited, path, [value, ...listAt(text, path)]);
}

function intoList(text: string, { value }: TomlMark, line: string, eol: string): string | null {
  if (text[value] !== "[") return null;
  const rest = /^[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(value + 1))?.[0];
  const at = value + 1 + (rest?.length ?? 0);
  return `${text.slice(0, at)}${rest === undefined ? eol : ""}${line}${text.slice(at)}`;
}

/** Writes a setting that has no value yet, with its mark; without one where nobody should take it out again. As above. */
export function addMarkedSetting(text: string, path: readonly string[], value: string | boolean, origin: Origin | null): string | null {
  const line = `${tomlKey(path.slice(-1))} = ${tomlValue(value)}${origin === null ? "" : ` ${mark(origin)}`}${lineBreak(text)}`;
  return said(text, underTable(text, path, line), path, value);
}

/** Below the header of its table; what belongs to no table stands at the very top. */
function underTable(text: string, path: readonly string[], lines: string): string {
  const bom = text.startsWith("\ufeff") ? 1 : 0;
  const table = path.slice(0, -1);
  if (table.length === 0) return text.slice(0, bom) + lines + text.slice(bom);
  const eol = lineBreak(text);
  const header = scanToml(text).find(({ kind, path: at }) => kind === "table" && samePath(at, table));
  if (!header) return `${text}${gapAfter(text)}[${tomlKey(table)}]${eol}${lines}`;
  const end = lineEnd(text, header.start);
  const at = Math.min(end + 1, text.length);
  return `${text.slice(0, at)}${end < text.length ? "" : eol}${lines}${text.slice(at)}`;
}

const listAt = (text: string, path: readonly string[]): readonly unknown[] => {
  const value = valueAtPath(parseConfigToml(undefined, text), path);
  return Array.isArray(value) ? value : [];
};

function said(before: string, edited: string, path: readonly string[], wanted: unknown): string | null {
  return parsesTo(edited, setAtPath(parseConfigToml(undefined, before), path, wanted)) ? edited : null;
}

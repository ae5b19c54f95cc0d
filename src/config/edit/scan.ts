import { attempt } from "../../text/attempt.ts";
import { parseToml } from "../../text/toml.ts";

export type TomlPath = readonly (string | number)[];

export const samePath = (a: TomlPath, b: TomlPath): boolean => a.length === b.length && a.every((part, n) => part === b[n]);

/** Where one thing of a TOML text stands. Offsets count UTF-16 units, as strings do. */
export interface TomlMark {
  /** `[a.b]`, `[[a.b]]`, `a.b = …`, or an entry of an array. */
  readonly kind: "table" | "list" | "pair" | "element";
  /** From the top of the document; a number is a place in an array. */
  readonly path: TomlPath;
  readonly start: number;
  /** Where the key ends; the same as `start` for an element. */
  readonly keyEnd: number;
  /** Where the value begins; the same as `keyEnd` for a header. */
  readonly value: number;
  readonly end: number;
  /** The header the pair belongs to, or the pair or element around it; undefined at the top. */
  readonly parent: TomlMark | undefined;
}

/** Lists everything a TOML text defines, in order. For text the parser accepted; on any other it guesses. */
export function scanToml(text: string): TomlMark[] {
  const marks: TomlMark[] = [];
  const lists = new Map<string, number>();
  let header: TomlMark | undefined;
  let at = skipBlank(text, text.startsWith("\ufeff") ? 1 : 0);
  while (at < text.length) {
    if (text[at] === "[") {
      header = readHeader(text, at, lists);
      marks.push(header);
      at = header.end;
    } else {
      at = Math.max(readPair(text, at, header, marks), at + 1);
    }
    at = skipBlank(text, lineEnd(text, at));
  }
  return marks;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The end of the line, before its line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

const BLANK = /\s/;

/** Skips white space, line breaks and comments. */
export function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (text[at] === "#") at = lineEnd(text, at);
    else if (BLANK.test(text[at]!)) at++;
    else break;
  }
  return at;
}

/** `lists` knows the place of the last table of each list of tables, by its path. */
function readHeader(text: string, start: number, lists: Map<string, number>): TomlMark {
  const kind = text[start + 1] === "[" ? "list" : "table";
  const { parts, end } = readKey(text, start + (kind === "list" ? 2 : 1));
  const path: (string | number)[] = [];
  parts.forEach((part, i) => {
    path.push(part);
    const name = JSON.stringify(path);
    const isNew = kind === "list" && i === parts.length - 1;
    const index = isNew ? (lists.get(name) ?? -1) + 1 : lists.get(name);
    if (isNew) lists.set(name, index!);
    // A header below a list of tables speaks of the last table in it.
    if (index !== undefined && (isNew || i < parts.length - 1)) path.push(index);
  });
  let close = skipSpace(text, end);
  for (let brackets = kind === "list" ? 2 : 1; brackets > 0 && text[close] === "]"; brackets--) close++;
  return { kind, path, start, keyEnd: close, value: close, end: close, parent: undefined };
}

/** Returns where the pair ends. */
function readPair(text: string, start: number, parent: TomlMark | undefined, marks: TomlMark[]): number {
  const { parts, end: keyEnd } = readKey(text, start);
  let value = skipSpace(text, keyEnd);
  if (text[value] !== "=") return keyEnd;
  value = skipSpace(text, value + 1);
  return readValue(text, value, { kind: "pair", path: [...(parent?.path ?? []), ...parts], start, keyEnd, value, parent }, marks);
}

function readValue(text: string, at: number, opened: Omit<TomlMark, "end">, marks: TomlMark[]): number {
  const mark = { ...opened, end: at };
  marks.push(mark);
  const first = text[at];
  if (first === '"' || first === "'") mark.end = stringEnd(text, at);
  else if (first === "[" || first === "{") mark.end = readEntries(text, at, mark, marks);
  else mark.end = bareEnd(text, at);
  return mark.end;
}

/** The inside of `[…]` or `{…}`. */
function readEntries(text: string, open: number, parent: TomlMark, marks: TomlMark[]): number {
  const array = text[open] === "[";
  let at = skipBlank(text, open + 1);
  for (let index = 0; at < text.length && text[at] !== (array ? "]" : "}"); index++) {
    const before = at;
    at = array
      ? readValue(text, at, { kind: "element", path: [...parent.path, index], start: at, keyEnd: at, value: at, parent }, marks)
      : readPair(text, at, parent, marks);
    at = skipBlank(text, at);
    if (text[at] === ",") at = skipBlank(text, at + 1);
    if (at === before) at++;
  }
  return Math.min(at + 1, text.length);
}

/** A key with its dots: `a."b.c".d` → three parts. */
function readKey(text: string, start: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let at = skipSpace(text, start);
  let end = at;
  while (at < text.length) {
    const quoted = text[at] === '"' || text[at] === "'";
    end = quoted ? stringEnd(text, at) : bareKeyEnd(text, at);
    if (end === at) break;
    parts.push(quoted ? unquote(text.slice(at, end)) : text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] !== ".") break;
    at = skipSpace(text, at + 1);
  }
  return { parts, end };
}

function bareKeyEnd(text: string, start: number): number {
  const bare = /[^\s.=\]#"'[{},]*/y;
  bare.lastIndex = start;
  return start + bare.exec(text)![0].length;
}

function unquote(quoted: string): string {
  if (!quoted.includes("\\") || quoted.startsWith("'")) return quoted.slice(1, -1);
  return attempt(() => String(parseToml(`key = ${quoted}`, "settings").key), quoted.slice(1, -1));
}

function stringEnd(text: string, start: number): number {
  const quote = text[start]!;
  const long = text.startsWith(quote.repeat(3), start);
  const close = long ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length && !text.startsWith(close, at)) {
    if (!long && text[at] === "\n") return at;
    at += quote === '"' && text[at] === "\\" ? 2 : 1;
  }
  at = Math.min(at + close.length, text.length);
  // `"""a"""""` ends in two quotes of its own.
  for (let extra = 0; long && extra < 2 && text[at] === quote; extra++) at++;
  return at;
}

/** Numbers, dates, true and false. */
function bareEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !",]}#\n\r".includes(text[at]!)) at++;
  while (at > start && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

import { attempt } from "../../text/attempt.ts";
import { type FrontMatterEntry, FrontMatterError } from "./front-matter.ts";

/** The text of a key, in any of the ways YAML writes one. */
export function entryText(entry: FrontMatterEntry): string {
  const { inline, line } = entry;
  if (/^[|>]/.test(inline)) return block(entry);
  const [first = "", ...rest] = inline === "" ? dropBlankStart(entry.below) : [inline, ...entry.below];
  const start = first.trimStart();
  if (/^(?:- |-$)/.test(start) && inline === "") throw new FrontMatterError(line, "a list stands where a text is wanted");
  if (/^[[{]/.test(start)) throw new FrontMatterError(line, `a text that begins with "${start[0]}" must stand in quotes`);
  if (/^["']/.test(start)) return quoted(folded([start, ...rest]), line);
  return folded([first, ...rest].map(withoutComment));
}

/** The items of a list; a single text is a list of one. */
export function entryItems(entry: FrontMatterEntry): string[] {
  const { inline, below, line } = entry;
  if (inline !== "" && !inline.startsWith("[")) return [entryText(entry)];
  if (inline.startsWith("[") || dropBlankStart(below)[0]?.trimStart().startsWith("["))
    return flow(folded([inline, ...below].map(withoutComment)), line);
  const items: string[][] = [];
  for (const row of below) {
    const item = /^ *-(?: +(.*))?$/.exec(row);
    if (item) items.push([item[1] ?? ""]);
    else if (!/^\s*(?:#|$)/.test(row)) {
      if (items.length === 0) return [entryText(entry)];
      items.at(-1)!.push(row);
    }
  }
  return items.map((lines) => entryText({ inline: lines[0]!, below: lines.slice(1), line }));
}

/** The texts of a map, one level deep. What is no text is left out: nobody acts on it. */
export function entryPairs({ below, line }: FrontMatterEntry): [name: string, text: string][] {
  const indent = dropBlankStart(below)[0]?.search(/\S/) ?? 0;
  if (indent === 0) return [];
  const found: { name: string; inline: string; below: string[] }[] = [];
  for (const row of below) {
    const [, key, inline = ""] = (row.search(/\S/) === indent && /^\s*([\w.-]{1,100}):(?:[ \t]+(.*))?$/.exec(row)) || [];
    if (key !== undefined) found.push({ name: key, inline: inline.trim(), below: [] });
    else found.at(-1)?.below.push(row);
  }
  return found.flatMap(({ name, ...entry }): [string, string][] => {
    // A map or a list in it.
    if (entry.inline === "" || /^[&*!]/.test(entry.inline)) return [];
    return attempt((): [string, string][] => [[name, entryText({ ...entry, line })]], []);
  });
}

/** `|` keeps lines, `>` folds them; what ends it is flattened by whoever shows it. */
function block({ inline, below, line }: FrontMatterEntry): string {
  if (!/^[|>](?:[+-]?[1-9]?|[1-9][+-])(?:\s+#.*)?$/.test(inline))
    throw new FrontMatterError(line, `"${inline.slice(0, 20)}" does not begin a block of text`);
  const indent = below.find((row) => row.trim() !== "")?.search(/\S/) ?? 0;
  if (indent === 0) return "";
  const end = below.findIndex((row) => row.trim() !== "" && row.search(/\S/) < indent);
  const rows = (end === -1 ? below : below.slice(0, end)).map((row) => row.slice(indent));
  return inline.startsWith("|") ? rows.join("\n").trimEnd() : folded(rows);
}

/** One line end is a space, an empty line is a line end. */
function folded(rows: readonly string[]): string {
  let text = "";
  let breaks = 0;
  for (const row of rows.map((one) => one.trim())) {
    if (row === "") breaks++;
    else {
      text += text === "" ? row : breaks > 0 ? `${"\n".repeat(breaks)}${row}` : ` ${row}`;
      breaks = 0;
    }
  }
  return text;
}

function withoutComment(row: string): string {
  if (row.trimStart().startsWith("#")) return "";
  const at = row.indexOf(" #");
  return at === -1 ? row : row.slice(0, at);
}

const dropBlankStart = (rows: readonly string[]): readonly string[] => {
  const first = rows.findIndex((row) => !/^\s*(?:#|$)/.test(row));
  return first === -1 ? [] : rows.slice(first);
};

function quoted(text: string, line: number): string {
  const { value, end } = readQuoted(text, 0, line);
  if (!/^\s*(?:#|$)/.test(text.slice(end))) throw new FrontMatterError(line, "something stands behind the closing quote");
  return value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  '"': '"',
  "/": "/",
  "\\": "\\",
  " ": " ",
  "0": "",
  e: "",
  a: "",
  b: "",
};
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** From an opening quote on. `end` is behind the closing one. */
function readQuoted(text: string, from: number, line: number): { value: string; end: number } {
  const mark = text[from]!;
  let value = "";
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === mark && mark === "'" && text[at + 1] === "'") {
      value += "'";
      at++;
    } else if (char === mark) return { value, end: at + 1 };
    else if (char === "\\" && mark === '"') {
      const kind = text[++at] ?? "";
      const hex = text.slice(at + 1, at + 1 + (DIGITS[kind] ?? 0));
      if (Object.hasOwn(ESCAPES, kind)) value += ESCAPES[kind];
      else if (DIGITS[kind] === hex.length && /^[0-9a-f]+$/i.test(hex) && Number.parseInt(hex, 16) <= 0x10ffff) {
        value += String.fromCodePoint(Number.parseInt(hex, 16));
        at += hex.length;
      } else throw new FrontMatterError(line, `"\\${kind}" means nothing inside quotes`);
    } else value += char;
  }
  throw new FrontMatterError(line, "a quote is not closed");
}

/** `[a, "b, c"]`. A list in a list is not read. */
function flow(text: string, line: number): string[] {
  const items: string[] = [];
  let at = 1;
  for (;;) {
    while (/[\s,]/.test(text[at] ?? "")) at++;
    if (at >= text.length) throw new FrontMatterError(line, 'a list has no closing "]"');
    if (text[at] === "]") break;
    if (/[[{]/.test(text[at]!)) throw new FrontMatterError(line, "a list holds more than texts");
    if (/["']/.test(text[at]!)) {
      const { value, end } = readQuoted(text, at, line);
      items.push(value);
      at = end;
    } else {
      const start = at;
      while (at < text.length && text[at] !== "," && text[at] !== "]") at++;
      items.push(text.slice(start, at).trim());
    }
  }
  if (text.slice(at + 1).trim() !== "") throw new FrontMatterError(line, 'something stands behind the closing "]"');
  return items;
}

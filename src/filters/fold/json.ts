import { endOfRun } from "../../text/group-by.ts";
import { heading, type Line, lengthOf, standFor } from "../line.ts";
import { type JsonValue, readJson } from "./json-values.ts";

/** More than this is cut as a giant anyway. */
const MOST = 2_000_000;
const FEWEST_LINES = 4;
const OPENS = /^\s*[[{][\s[{]*$/;
/** A failed reading costs time. */
const MOST_TRIES = 20;

/** Documents of JSON that were written for the eye, without the blanks between their tokens. Every key, value and their order stay as they were written. */
export function foldJson(lines: readonly Line[]): readonly Line[] | null {
  if (!lines.some(({ text }) => text.length < 50 && OPENS.test(text)) || lengthOf(lines) > MOST) return null;
  const shown: Line[] = [];
  let tries = 0;
  let first = -1;
  let hasRows = false;
  for (let at = 0; at < lines.length; ) {
    const mayOpen = lines[at]!.text.length < 50 && OPENS.test(lines[at]!.text) && tries++ < MOST_TRIES;
    const document = mayOpen ? documentAt(lines, at) : null;
    if (document && first === -1) first = shown.length;
    hasRows ||= document?.hasRows ?? false;
    shown.push(...(document?.told ?? [lines[at]!]));
    at = document?.end ?? at + 1;
  }
  if (first === -1) return null;
  const rows = hasRows ? "; below `n × {keys}:` the values of n such objects" : "";
  return [...shown.slice(0, first), heading(`(JSON without the blanks${rows})`), ...shown.slice(first)];
}

interface ToldDocument {
  readonly told: readonly Line[];
  readonly hasRows: boolean;
  readonly end: number;
}

/** The document that begins with a line and ends with one. */
function documentAt(lines: readonly Line[], at: number): ToldDocument | null {
  const rest = lines.slice(at);
  const starts: number[] = [];
  let length = 0;
  for (const { text } of rest) {
    starts.push(length);
    length += text.length + 1;
  }
  const text = rest.map((line) => line.text).join("\n");
  const read = readJson(text, 0);
  if (!read || !/^[ \t]*(?:\n|$)/.test(text.slice(read.end, read.end + 200))) return null;
  const end = starts.findLastIndex((start) => start < read.end) + 1;
  const raw = rest.slice(0, end);
  if (end < FEWEST_LINES || raw.some(({ from }) => from.length > 0)) return null;
  const writer = new JsonWriter(raw, starts.slice(0, end));
  writer.document(read.value);
  const { told, hasRows } = writer;
  return lengthOf(told) < lengthOf(raw) ? { told, hasRows, end: at + end } : null;
}

/** No line is too long to be read. */
const WIDTH = 600;
const FEWEST_ROWS = 4;
const LONGEST_CELL = 80;

class JsonWriter {
  readonly #raw: readonly Line[];
  readonly #starts: readonly number[];
  readonly told: Line[] = [];
  hasRows = false;
  #text = "";
  #told = 0;
  #reached = 0;

  constructor(raw: readonly Line[], starts: readonly number[]) {
    this.#raw = raw;
    this.#starts = starts;
  }

  /** Each part of the whole has a line of its own. */
  document(value: JsonValue): void {
    if (value.open === null) this.#put(value);
    else this.#broken(value, 0);
    this.#reached = this.#raw.length;
    this.#endLine();
  }

  #broken({ open, keys, parts }: JsonValue, width: number): void {
    this.#text += open;
    for (let n = 0; n < parts.length; ) {
      const part = parts[n]!;
      if (n > 0 && (this.#text.length + part.length > width || this.#text === "")) this.#endLine();
      const rows = rowsFrom(parts, n);
      if (rows > 0) this.#rows(parts.slice(n, n + rows), keys.slice(n, n + rows));
      else {
        if (open === "{") this.#text += `${keys[n]}:`;
        if (part.open === null || part.length <= WIDTH - this.#text.length) this.#put(part);
        else this.#broken(part, WIDTH);
      }
      n += Math.max(rows, 1);
      if (n < parts.length && this.#text !== "") this.#text += ",";
    }
    this.#text += open === "{" ? "}" : "]";
  }

  /** Objects with the same keys: these once, then the values of each, behind the key that the object itself has. */
  #rows(objects: readonly JsonValue[], names: readonly string[]): void {
    this.hasRows = true;
    this.#text += `${objects.length} × ${names.length > 0 ? "key:" : ""}{${objects[0]!.keys.map(bareKey).join(",")}}:`;
    this.#endLine();
    for (const [row, object] of objects.entries()) {
      this.#reach(object);
      if (names.length > 0) this.#text += `${names[row]}:`;
      for (const [n, part] of object.parts.entries()) {
        this.#reach(part);
        this.#text += `${n > 0 ? "," : ""}${compact(part)}`;
      }
      this.#endLine();
    }
  }

  #put(value: JsonValue): void {
    this.#reach(value);
    if (rowsFrom(value.parts, 0) > 0) {
      this.#broken(value, WIDTH);
      return;
    }
    this.#text += value.open ?? value.text;
    if (value.open === null) return;
    for (const [n, part] of value.parts.entries()) {
      if (n > 0) this.#text += ",";
      if (value.open === "{") this.#text += `${value.keys[n]}:`;
      this.#put(part);
    }
    this.#text += value.open === "{" ? "}" : "]";
  }

  #reach({ from }: JsonValue): void {
    while (this.#reached < this.#starts.length && this.#starts[this.#reached]! <= from) this.#reached++;
  }

  #endLine(): void {
    if (this.#text === "") return;
    this.told.push(standFor(this.#text, this.#raw.slice(this.#told, this.#reached)));
    this.#told = this.#reached;
    this.#text = "";
  }
}

function compact({ open, text, keys, parts }: JsonValue): string {
  if (open === null) return text;
  const inner = parts.map((part, n) => (open === "{" ? `${keys[n]}:` : "") + compact(part)).join(",");
  return open === "{" ? `{${inner}}` : `[${inner}]`;
}

const bareKey = (key: string): string => (/^"[\w$-]+"$/.test(key) ? key.slice(1, -1) : key);

/** How many parts from here on are objects with the same keys and short values. */
function rowsFrom(parts: readonly JsonValue[], from: number): number {
  const first = parts[from];
  if (!first || first.keys.length < 2) return 0;
  const end = endOfRun(parts, from, (part) => isRecord(part) && hasKeys(part, first.keys));
  return end - from >= FEWEST_ROWS ? end - from : 0;
}

const isRecord = ({ open, parts }: JsonValue): boolean =>
  open === "{" && parts.every(({ open: inner, parts: below, length }) => inner === null || below.length === 0 || length <= LONGEST_CELL);

const hasKeys = ({ keys }: JsonValue, wanted: readonly string[]): boolean =>
  keys.length === wanted.length && keys.every((key, n) => key === wanted[n]);

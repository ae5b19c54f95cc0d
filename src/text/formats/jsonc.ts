/** What is wrong with a JSON text, and where. The message is a part of a sentence, without a full stop. */
export class JsonMistake extends Error {
  override readonly name = "JsonMistake";
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

export type JsonTextPath = readonly (string | number)[];

/** A value that holds no other, or an empty list or object. */
export interface JsonLeaf {
  readonly path: JsonTextPath;
  readonly line: number;
  /** The same key stands again behind it, and that one counts, as it does for every JSON reader. */
  readonly isOverridden: boolean;
}

export interface JsonText {
  readonly data: unknown;
  readonly leaves: readonly JsonLeaf[];
}

/** More than people write by hand. A reader of such a tree may go down into it. */
const MOST_LEVELS = 64;
const SPACE = /[\s\ufeff]*/y;
const WORD = /-?[\w.+-]+/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const LONG_COMMENT = /\/\*[\s\S]*?\*\//y;

interface Open {
  readonly text: string;
  readonly comments: "allowed" | "refused";
  at: number;
  readonly lineAt: (offset: number) => number;
}

/** JSON with the line of every value; with comments and trailing commas where they are allowed. Throws a JsonMistake. Takes time linear in the text. */
export function parseJsonText(text: string, comments: "allowed" | "refused"): JsonText {
  const open: Open = { text, comments, at: 0, lineAt: createLineFinder(text) };
  skip(open);
  const { value, leaves } = read(open, [], 0);
  skip(open);
  if (open.at < text.length) fail(open, "something stands behind the end");
  return { data: value, leaves };
}

interface Value {
  readonly value: unknown;
  readonly leaves: readonly JsonLeaf[];
}

function read(open: Open, path: JsonTextPath, level: number): Value {
  if (level > MOST_LEVELS) fail(open, `brackets stand more than ${MOST_LEVELS} deep inside each other`);
  const { text, at } = open;
  if (text[at] === "{") return readObject(open, path, level);
  if (text[at] === "[") return readList(open, path, level);
  const value = text[at] === '"' ? readString(open) : readWord(open);
  return { value, leaves: [leafAt(open, path, at)] };
}

const leafAt = (open: Open, path: JsonTextPath, at: number): JsonLeaf => ({ path, line: open.lineAt(at), isOverridden: false });

function readObject(open: Open, path: JsonTextPath, level: number): Value {
  const start = open.at++;
  // Without a prototype: a key may be named `__proto__`.
  const value: Record<string, unknown> = Object.create(null);
  const byKey = new Map<string, readonly JsonLeaf[]>();
  const overridden: JsonLeaf[] = [];
  for (skip(open); !takes(open, "}"); ) {
    if (open.text[open.at] !== '"') fail(open, "a key in quotes is expected");
    const key = readString(open);
    skip(open);
    if (!takes(open, ":")) fail(open, "a colon is expected");
    skip(open);
    const inner = read(open, [...path, key], level + 1);
    for (const leaf of byKey.get(key) ?? []) overridden.push({ ...leaf, isOverridden: true });
    byKey.set(key, inner.leaves);
    value[key] = inner.value;
    separate(open, "}");
  }
  if (byKey.size === 0) return { value, leaves: [leafAt(open, path, start)] };
  return { value, leaves: [...overridden, ...[...byKey.values()].flat()] };
}

function readList(open: Open, path: JsonTextPath, level: number): Value {
  const start = open.at++;
  const value: unknown[] = [];
  const leaves: JsonLeaf[][] = [];
  for (skip(open); !takes(open, "]"); ) {
    const inner = read(open, [...path, value.length], level + 1);
    value.push(inner.value);
    leaves.push([...inner.leaves]);
    separate(open, "]");
  }
  return { value, leaves: value.length === 0 ? [leafAt(open, path, start)] : leaves.flat() };
}

/** A comma, or the end. A comma before the end is for those who allow comments. */
function separate(open: Open, end: "}" | "]"): void {
  skip(open);
  if (open.text[open.at] === end) return;
  if (!takes(open, ",")) fail(open, `a comma or "${end}" is expected`);
  skip(open);
  if (open.text[open.at] === end && open.comments === "refused") fail(open, "a comma stands before the end");
}

function readString(open: Open): string {
  const end = stringEnd(open.text, open.at);
  if (end === null) return fail(open, "a string is not closed, or holds a line break");
  const raw = open.text.slice(open.at, end);
  open.at = end;
  try {
    return JSON.parse(raw) as string;
  } catch {
    return fail(open, "a string holds an escape that JSON does not have");
  }
}

/** Behind the closing quote. An expression would keep every step of a long text in mind. */
function stringEnd(text: string, from: number): number | null {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") at++;
    else if (char === '"') return at + 1;
    else if (char < " ") return null;
  }
  return null;
}

function readWord(open: Open): unknown {
  const from = open.at;
  const raw = match(open, WORD);
  try {
    if (raw !== null) return JSON.parse(raw);
  } catch {}
  open.at = from;
  return fail(open, from >= open.text.length ? "the text ends too early" : "a value is expected");
}

function skip(open: Open): void {
  for (;;) {
    match(open, SPACE);
    if (open.comments === "refused") return;
    if (match(open, LINE_COMMENT) === null && match(open, LONG_COMMENT) === null) return;
  }
}

function takes(open: Open, char: string): boolean {
  if (open.text[open.at] !== char) return false;
  open.at++;
  return true;
}

function match(open: Open, pattern: RegExp): string | null {
  pattern.lastIndex = open.at;
  const found = pattern.exec(open.text)?.[0] ?? null;
  if (found !== null) open.at += found.length;
  return found;
}

function fail({ text, at, lineAt }: Open, message: string): never {
  throw new JsonMistake(message, { line: lineAt(at), column: at - text.lastIndexOf("\n", at - 1) });
}

/** The line of a place in a text, from 1. */
export function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

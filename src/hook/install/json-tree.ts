/** What is wrong with a JSON text that shall be edited, and where. The message is a part of a sentence. */
export class JsonTreeMistake extends Error {
  override readonly name = "JsonTreeMistake";
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** A value and where it stands, so that a text can be changed in one place and stay as it is in all others. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly kind: "object" | "list" | "plain";
  /** Of an object or a list, in their order. */
  readonly items: readonly JsonItem[];
  /** Of anything else: what it says. */
  readonly value: unknown;
  /** Where the last comment between the brackets ends, behind the last value; null without one. */
  readonly lastComment: number | null;
}

/** An entry of an object or a list. */
export interface JsonItem {
  /** Where it begins: the key, or in a list the value. */
  readonly start: number;
  readonly key: string | null;
  readonly node: JsonNode;
  /** Where the comma behind it stands. */
  readonly comma: number | null;
}

export type JsonComments = "allowed" | "refused";

const MOST_LEVELS = 64;
const SPACE = /[ \t\r\n]*/y;
const WORD = /-?[\w.+-]+/y;
const LINE_COMMENT = /\/\/[^\r\n]*/y;
const LONG_COMMENT = /\/\*[\s\S]*?\*\//y;

interface Reader {
  readonly text: string;
  readonly comments: JsonComments;
  at: number;
  lastComment: number | null;
}

/** Throws a JsonTreeMistake. Takes time linear in the text. A comma before a closing bracket is refused: not every reader takes it. */
export function parseJsonTree(text: string, comments: JsonComments): JsonNode {
  const reader: Reader = { text, comments, at: 0, lastComment: null };
  skip(reader);
  const node = readNode(reader, 0);
  skip(reader);
  if (reader.at < text.length) fail(reader, "something stands behind the end");
  return node;
}

/** The data of a node. Objects have no prototype: a key may be named `__proto__`. */
export function jsonData(node: JsonNode): unknown {
  if (node.kind === "plain") return node.value;
  if (node.kind === "list") return node.items.map((item) => jsonData(item.node));
  const data: Record<string, unknown> = Object.create(null);
  for (const { key, node: inner } of node.items) data[key!] = jsonData(inner);
  return data;
}

function readNode(reader: Reader, level: number): JsonNode {
  if (level > MOST_LEVELS) fail(reader, `brackets stand more than ${MOST_LEVELS} deep inside each other`);
  const start = reader.at;
  const first = reader.text[start];
  if (first === "{" || first === "[") return readItems(reader, first === "{" ? "object" : "list", level);
  const value = first === '"' ? readString(reader) : readWord(reader);
  return { start, end: reader.at, kind: "plain", items: [], value, lastComment: null };
}

function readItems(reader: Reader, kind: "object" | "list", level: number): JsonNode {
  const start = reader.at++;
  const close = kind === "object" ? "}" : "]";
  const items: JsonItem[] = [];
  reader.lastComment = null;
  for (skip(reader); reader.text[reader.at] !== close; ) {
    if (items.length > 0 && items.at(-1)!.comma === null) fail(reader, `a comma or "${close}" is expected`);
    const from = reader.at;
    const key = kind === "object" ? readKey(reader) : null;
    const node = readNode(reader, level + 1);
    reader.lastComment = null;
    skip(reader);
    const comma = reader.text[reader.at] === "," ? reader.at++ : null;
    items.push({ start: from, key, node, comma });
    skip(reader);
    if (comma !== null && reader.text[reader.at] === close) fail(reader, "a comma stands before the end");
  }
  const { lastComment } = reader;
  reader.at++;
  return { start, end: reader.at, kind, items, value: undefined, lastComment };
}

function readKey(reader: Reader): string {
  if (reader.text[reader.at] !== '"') fail(reader, "a key in quotes is expected");
  const key = readString(reader);
  skip(reader);
  if (reader.text[reader.at] !== ":") fail(reader, "a colon is expected");
  reader.at++;
  skip(reader);
  return key;
}

function readString(reader: Reader): string {
  const { text, at } = reader;
  let end = at + 1;
  for (; end < text.length && text[end] !== '"'; end++) {
    if (text[end]! < " ") fail(reader, "a string holds a line break, or is not closed");
    if (text[end] === "\\") end++;
  }
  reader.at = end + 1;
  return parsed(reader, at, "a string is not closed, or holds an escape that JSON does not have") as string;
}

function readWord(reader: Reader): unknown {
  const from = reader.at;
  match(reader, WORD);
  return parsed(reader, from, from >= reader.text.length ? "the text ends too early" : "a value is expected");
}

function parsed(reader: Reader, from: number, mistake: string): unknown {
  try {
    return JSON.parse(reader.text.slice(from, reader.at));
  } catch {
    reader.at = from;
    return fail(reader, mistake);
  }
}

function skip(reader: Reader): void {
  for (;;) {
    match(reader, SPACE);
    if (reader.comments === "refused") return;
    if (!match(reader, LINE_COMMENT) && !match(reader, LONG_COMMENT)) return;
    reader.lastComment = reader.at;
  }
}

function match(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found !== "";
}

function fail({ text, at }: Reader, message: string): never {
  throw new JsonTreeMistake(message, text.slice(0, at).split("\n").length);
}

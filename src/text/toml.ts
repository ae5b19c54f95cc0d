import { parse, TomlError } from "smol-toml";

/** What is wrong with a TOML text, and where. The message is a part of a sentence, without a full stop. */
export class TomlMistake extends Error {
  readonly line: number;
  readonly column: number;
  /** The lines around the mistake, cut where they are long; empty when there is nothing to point at. */
  readonly around: string;

  constructor(message: string, { line, column, around }: { readonly line: number; readonly column: number; readonly around: string }) {
    super(message);
    this.name = "TomlMistake";
    this.line = line;
    this.column = column;
    this.around = around;
  }
}

/**
 * What a TOML text of people never needs and a hostile one does: each of these made some reader of it slow. They are measured in one walk over the
 * text before anything is parsed, so whatever reads the data later works on a tree that is small, shallow and made of short names.
 */
export const TOML_LIMITS = {
  /** Characters of the text. */
  length: 1024 * 1024,
  /** Brackets and braces inside each other. */
  depth: 32,
  /** Parts of one key: `a.b.c` has three. */
  parts: 32,
  /** Characters of one key with all its parts. */
  key: 2000,
} as const;

/** How many tables, keys and entries of lists a text may hold together. A file of filters may hold 10,000 rules; it is read when Zeph starts, never by a watcher. */
const MOST_THINGS = { settings: 5000, filters: 200_000 } as const;

/** The only place that parses TOML, whoever wrote it. Throws a `TomlMistake`. */
export function parseToml(text: string, kind: keyof typeof MOST_THINGS): Record<string, unknown> {
  const excess = excessIn(text, MOST_THINGS[kind]);
  if (excess) throw new TomlMistake(excess.why, { ...placeIn(text, excess.at), around: "" });
  try {
    return parse(text, { unsafeKeyBehaviour: "throw", maxDepth: TOML_LIMITS.depth + 1 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
    throw new TomlMistake(reason, { line: error.line, column: error.column, around: linesAround(text, error.line, error.column) });
  }
}

interface Excess {
  readonly why: string;
  readonly at: number;
}

/** The first limit that the text exceeds. Takes time linear in the text, and no memory. */
function excessIn(text: string, things: number): Excess | null {
  const { length, depth, parts, key } = TOML_LIMITS;
  if (text.length > length) return { why: `the text has more than ${words(length)} characters`, at: 0 };
  /** The brackets and braces that are open here. */
  const open: string[] = [];
  let count = 0;
  let dots = 0;
  /** Where the key or header that is being read begins; undefined inside a value. */
  let start: number | undefined = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"' || char === "'") at = stringEnd(text, at) - 1;
    else if (char === "#") at = lineEnd(text, at) - 1;
    else if (char === "." && ++dots >= parts) return { why: `a key has more than ${parts} parts`, at };
    else if (PUNCTUATION.includes(char)) {
      const ends = char === "=" || char === "]";
      if (ends && start !== undefined && at - start > key) return { why: `a key has more than ${words(key)} characters`, at: start };
      if (OPENING.includes(char) && open.push(char) > depth) return { why: `brackets stand more than ${depth} deep inside each other`, at };
      if (CLOSING.includes(char)) open.pop();
      else if (char !== "\n" && ++count > things) return { why: `the text has more than ${words(things)} tables, keys and entries`, at };
      dots = 0;
      start = startBehind(char, at, open, start);
    }
  }
  return null;
}

const OPENING = "[{";
const CLOSING = "]}";
const PUNCTUATION = `${OPENING}${CLOSING},=\n`;

function startBehind(char: string, at: number, open: readonly string[], before: number | undefined): number | undefined {
  if (char === "=") return undefined;
  if (char === "\n") return open.length === 0 ? at + 1 : before;
  // A bracket where a key could begin opens a header; any other one opens a list.
  if (char === "[") return before === undefined ? undefined : at + 1;
  if (char === "{") return at + 1;
  return char === "," && open.at(-1) === "{" ? at + 1 : before;
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** Behind the closing quotes; at the end of the line where a short string has none. */
function stringEnd(text: string, start: number): number {
  const quote = text[start]!;
  const long = text[start + 1] === quote && text[start + 2] === quote;
  for (let at = start + (long ? 3 : 1); at < text.length; at++) {
    const char = text[at];
    if (char === "\\" && quote === '"') at++;
    else if (char === "\n" && !long) return at;
    else if (char === quote && !long) return at + 1;
    else if (char === quote && text[at + 1] === quote && text[at + 2] === quote) {
      let end = at + 3;
      // `"""a"""""` ends in two quotes of its own.
      for (let extra = 0; extra < 2 && text[end] === quote; extra++) end++;
      return end;
    }
  }
  return text.length;
}

const words = (count: number) => count.toLocaleString("en");

function placeIn(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) {
    line++;
    start = next + 1;
  }
  return { line, column: at - start + 1 };
}

const WIDEST_LINE = 160;

/** The line of the mistake between its neighbours, with a mark below it. Of a long line, the part around the mistake. */
function linesAround(text: string, line: number, column: number): string {
  const lines = text.split(/\r?\n/);
  const width = String(line + 1).length;
  const from = Math.max(0, column - 1 - WIDEST_LINE / 2);
  const shown: string[] = [];
  for (let n = Math.max(1, line - 1); n <= line + 1; n++) {
    const whole = lines[n - 1];
    if (!whole) continue;
    const start = n === line ? from : 0;
    const cut = whole.slice(start, start + WIDEST_LINE);
    const lead = `${String(n).padEnd(width)}:  `;
    shown.push(`${lead}${start > 0 ? "…" : ""}${cut}${start + cut.length < whole.length ? "…" : ""}`);
    if (n === line) shown.push(`${" ".repeat(lead.length + column - 1 - start + (start > 0 ? 1 : 0))}^`);
  }
  return shown.length === 0 ? "" : `${shown.join("\n")}\n`;
}

/**
 * Looks over a command once, before it is parsed: the parser needs time that grows with nesting times length, seconds on 64 kB of `$(`.
 * Plain quotes and here-documents are skipped as long as it is certain where they end; behind the first nested expansion every
 * character counts, quoted or not, because telling them apart would be parsing.
 */
export function tooMuch(source: string): string | null {
  if (source.length > MAX_LENGTH || Buffer.byteLength(source) > MAX_LENGTH) return "it is longer than 64 kB";
  const { separators, deepest, openers, active, quotes, words, hereDocuments } = survey(source);
  if (separators >= MAX_COMMANDS) return "it holds more than 4,096 commands";
  if (deepest > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH}`;
  if (openers * active > MAX_WORK) return "it holds too many nested expansions for its length";
  if (quotes > MAX_QUOTES) return "it holds more than 2,048 quotes, expansions and redirections";
  if (words > MAX_WORDS) return "it holds more than 4,096 words";
  return hereDocuments > MAX_HERE_DOCUMENTS ? "it holds more than 256 here-documents" : null;
}

/** Characters that are not what they look like: a person who reads the command would read something else. */
export function hidden(source: string): string | null {
  if (!SUSPECT.test(source)) return null;
  const { strange } = survey(source);
  if (strange === null) return null;
  const code = strange.codePointAt(0)!;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return `it holds ${code < 0xa0 ? "the control character" : "the invisible character"} ${name} outside quotes`;
}

const MAX_LENGTH = 64 * 1024;
const MAX_COMMANDS = 4096;
export const MAX_DEPTH = 64;
const MAX_WORK = 1_000_000;
const MAX_QUOTES = 2048;
const MAX_WORDS = 4096;
const MAX_HERE_DOCUMENTS = 256;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
/** Controls, soft hyphens, zero-width and direction marks, tags. Tab and line feed are blanks. */
const SUSPECT =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above.

interface Survey {
  separators: number;
  deepest: number;
  openers: number;
  /** Characters the parser has to think about. */
  active: number;
  quotes: number;
  words: number;
  hereDocuments: number;
  strange: string | null;
}

function survey(source: string): Survey {
  const seen: Survey = { separators: 0, deepest: 0, openers: 0, active: 0, quotes: 0, words: 0, hereDocuments: 0, strange: null };
  const pending: { word: string; tabs: boolean }[] = [];
  let depth = 0;
  let certain = true;
  let inBackticks = false;
  const open = (cost: number) => {
    seen.openers += cost;
    seen.deepest = Math.max(seen.deepest, ++depth);
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    const next = source[i + 1];
    seen.active++;
    if (char === ">" || char === "<") seen.quotes++;
    if (char === "\\") {
      // Inside backticks an escaped one opens another level.
      if (next === "`") seen.openers++;
      if (next === undefined || !SUSPECT.test(next)) i++;
    } else if (char === " " || char === "\t") {
      if (!isBlank(source[i - 1])) seen.words++;
    } else if (char === "'" || char === '"') {
      seen.quotes++;
      if (!certain) continue;
      const end = char === "'" ? closing(source, i, source[i - 1] === "$") : closingDouble(source, i);
      if (end === null) certain = false;
      else i = end;
    } else if (char === "`") {
      certain = false;
      inBackticks = !inBackticks;
      if (inBackticks) open(1);
      else depth = Math.max(0, depth - 1);
    } else if (char === "$") {
      seen.quotes++;
      if (next === "$") certain = false;
      if (next === "(" || next === "[" || (next === "{" && !SIMPLE.test(source.slice(i, i + 66)))) {
        certain = false;
        if (next === "[") open(1);
        else seen.openers++;
      }
    } else if (char === "(" || char === "{") {
      // In arithmetic `<<` is no here-document and `#` no comment.
      if (char === "(" && next === "(") certain = false;
      open(char === "{" || source[i - 1] === "<" || source[i - 1] === ">" ? 1 : 0);
    } else if (char === ")" || char === "}") {
      depth = Math.max(0, depth - 1);
    } else if (char === "#" && certain && isBlank(source[i - 1])) {
      i = endOfLine(source, i) - 1;
    } else if (char === "<" && next === "<" && source[i + 2] !== "<" && source[i - 1] !== "<") {
      seen.hereDocuments++;
      if (certain) i = delimiter(source, i + 2, pending) - 1;
    } else if (char === "\n" || char === ";" || char === "&" || char === "|") {
      if (!isSeparator(source[i - 1])) seen.separators++;
      if (char !== "\n") continue;
      if (certain && pending.length > 0) i = skipBodies(source, i, pending, seen) - 1;
      pending.length = 0;
    } else if ((char < " " || char > "~") && seen.strange === null && SUSPECT.test(whole(source, i))) {
      seen.strange = whole(source, i);
    }
  }
  return seen;
}

const SIMPLE = /^\$\{\w{1,62}\}/;
const isBlank = (char: string | undefined) => char === undefined || " \t\n;&|()".includes(char);
const isSeparator = (char: string | undefined) => char !== undefined && "\n;&|".includes(char);
const whole = (source: string, i: number) => String.fromCodePoint(source.codePointAt(i)!);

/** Where the line ends that a place is in. */
export function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}

function closing(source: string, start: number, ansi: boolean): number | null {
  for (let i = start + 1; i < source.length; i++) {
    if (ansi && source[i] === "\\") i++;
    else if (source[i] === "'") return i;
  }
  return null;
}

/** null when the quotes hold more than text and plain variables. */
function closingDouble(source: string, start: number): number | null {
  for (let i = start + 1; i < source.length; i++) {
    const char = source[i];
    if (char === "\\") i++;
    else if (char === '"') return i;
    else if (char === "`") return null;
    else if (char === "$" && "({[".includes(source[i + 1] ?? " ") && !SIMPLE.test(source.slice(i, i + 66))) return null;
  }
  return null;
}

/** Reads the word after `<<`; the body starts at the next line. */
function delimiter(source: string, from: number, pending: { word: string; tabs: boolean }[]): number {
  const tabs = source[from] === "-";
  const match = /[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/y;
  match.lastIndex = tabs ? from + 1 : from;
  const found = match.exec(source);
  if (!found) return from;
  pending.push({ word: found[1]!.replace(/['"\\]/g, ""), tabs });
  return match.lastIndex;
}

/** Bodies count as text; what an unquoted one expands counts. */
function skipBodies(source: string, newline: number, pending: { word: string; tabs: boolean }[], seen: Survey): number {
  let at = newline + 1;
  for (const { word, tabs } of pending.splice(0)) {
    while (at < source.length) {
      const end = endOfLine(source, at);
      const line = source.slice(at, end);
      at = end + 1;
      if ((tabs ? line.replace(/^\t+/, "") : line) === word) break;
      for (const [opener] of line.matchAll(/\$[({[]|`/g)) {
        seen.openers += opener === "`" ? 0.5 : 1;
        seen.active += 16;
      }
    }
  }
  return Math.min(at, source.length + 1);
}

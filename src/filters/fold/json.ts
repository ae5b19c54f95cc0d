import { heading, type Line, lengthOf, standFor } from "../line.ts";

/** More than this is cut as a giant anyway. */
const MOST = 2_000_000;
const FEWEST_LINES = 4;
const OPENS = /^\s*[[{][\s[{]*$/;
/** A failed reading costs time. */
const MOST_TRIES = 20;
/** No line is too long to be read. */
const WIDTH = 600;

/** Documents of JSON that were written for the eye, without the blanks between their tokens. Every key, value and their order stay as they were written. */
export function foldJson(lines: readonly Line[]): readonly Line[] | null {
  const mayOpen = ({ text }: Line): boolean => text.length < 50 && OPENS.test(text);
  if (!lines.some(mayOpen) || lengthOf(lines) > MOST) return null;
  const shown: Line[] = [];
  let tries = 0;
  let isFound = false;
  for (let at = 0; at < lines.length; ) {
    const end = mayOpen(lines[at]!) && tries++ < MOST_TRIES ? endOfDocument(lines, at) : null;
    const told = end === null ? null : withoutBlanks(lines.slice(at, end));
    if (told && !isFound) shown.push(heading("(JSON without the blanks)"));
    isFound ||= told !== null;
    shown.push(...(told ?? [lines[at]!]));
    at = told ? end! : at + 1;
  }
  return isFound ? shown : null;
}

/** Behind the last line of the document that begins with a line. null: none does, or it ends within a line. */
function endOfDocument(lines: readonly Line[], from: number): number | null {
  let depth = 0;
  for (let at = from; at < lines.length; at++) {
    const { text, from: made } = lines[at]!;
    if (made.length > 0) return null;
    const bare = text.replace(STRING, "");
    for (const char of bare) {
      if (char === "{" || char === "[") depth++;
      if (char === "}" || char === "]") depth--;
    }
    if (depth > 0) continue;
    const isWhole = depth === 0 && /[}\]]\s*$/.test(bare) && at - from >= FEWEST_LINES - 1;
    return isWhole && isJson(lines.slice(from, at + 1)) ? at + 1 : null;
  }
  return null;
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

function isJson(lines: readonly Line[]): boolean {
  try {
    JSON.parse(lines.map(({ text }) => text).join("\n"));
    return true;
  } catch {
    return false;
  }
}

/** A line for each part of the document, several for a long part. null: the document is short already. */
function withoutBlanks(raw: readonly Line[]): readonly Line[] | null {
  const told: Line[] = [];
  let text = "";
  let first = 0;
  let depth = 0;
  for (const [at, line] of raw.entries()) {
    for (const token of line.text.match(TOKEN) ?? []) {
      if (token === "}" || token === "]") depth--;
      text += token;
      if (token === "{" || token === "[") depth++;
      if (token !== "," || (depth > 1 && text.length < WIDTH)) continue;
      told.push(standFor(text, raw.slice(first, at + 1)));
      text = "";
      first = at + 1;
    }
  }
  told.push(standFor(text, raw.slice(first)));
  return lengthOf(told) < lengthOf(raw) ? told : null;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

import { plural } from "../text/words.ts";
import { findNearest } from "./closest.ts";

/** Why a text that should be replaced is not in a file, and what stands there in its place. */
export interface Miss {
  /** To follow "old_string does not occur in the file". */
  readonly why: string;
  /** The nearest place, exactly as it stands in the file. */
  readonly place?: string;
}

/** What is longer is not compared: a help is not worth waiting for. */
const LONGEST = 2_000_000;
const MOST_LINES = 12;
const MOST_CHARACTERS = 2000;

export function explainMiss(text: string, wanted: string): Miss {
  const numbered = withoutNumbers(wanted);
  const lines = numbered === null ? [] : linesOf(text, numbered.bare);
  if (lines.length > 0)
    return {
      why: `: its lines begin with line numbers, which are not in the file. Without them it stands ${where(lines, numbered!.first)}`,
    };
  const blank = text.length > LONGEST ? null : findBlankDifference(text, wanted);
  if (blank) {
    const { line, file, given } = blank;
    return {
      why: `: at line ${line} it differs only in white space (the file has ${file}, old_string ${given}). The place follows as it stands.`,
      place: linesFrom(text, blank.start, wanted),
    };
  }
  const near = findNearest(text, wanted);
  if (near === null) return { why: ". Nothing in it looks alike; read the file first." };
  return {
    why: `. The closest place, at line ${lineAt(text, near)}, follows as it stands.`,
    place: linesFrom(text, near, wanted),
  };
}

/** A place pasted from a result: each line begins with its number, as `read`, `grep` and other editors show it. Null where not all do. */
function withoutNumbers(text: string): { readonly first: number; readonly bare: string } | null {
  const lines = text.replace(/\r?\n$/, "").split("\n");
  const found = lines.map((line) => /^[ \t]*(\d{1,7})(?:\t|[:→|-] ?|[ ]{1,2}(?=\S))(.*)$/s.exec(line));
  const bare = found.map((match) => match?.[2]);
  if (bare.some((line) => line === undefined) || bare.join("").trim() === "") return null;
  return { first: Number(found[0]![1]), bare: bare.join("\n") };
}

/** In which lines a text begins, with either kind of line ends. */
function linesOf(text: string, wanted: string): number[] {
  const part = text.includes(wanted) ? wanted : wanted.replace(/\r?\n/g, "\r\n");
  const lines: number[] = [];
  let line = 1;
  let seen = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    for (let end = text.indexOf("\n", seen); end !== -1 && end < at; end = text.indexOf("\n", seen)) {
      line++;
      seen = end + 1;
    }
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines;
}

const MOST_NAMED = 5;

/** The line whose number was pasted counts for more than the first one. */
function where(lines: readonly number[], pasted: number): string {
  const [first] = lines;
  if (lines.length === 1) return `at line ${first}.`;
  const longer = "make it longer, or set replace_all.";
  if (lines.includes(pasted)) return `at line ${pasted}, and in ${plural(lines.length - 1, "other line")}: ${longer}`;
  return `in lines ${lines.slice(0, MOST_NAMED).join(", ")}${lines.length > MOST_NAMED ? " and others" : ""}: ${longer}`;
}

interface BlankDifference {
  /** Where the text begins in the file. */
  readonly start: number;
  /** The line of the first difference, and what is there. */
  readonly line: number;
  readonly file: string;
  readonly given: string;
}

/** The first place that is the same but for white space, and where it differs first. */
function findBlankDifference(text: string, wanted: string): BlankDifference | null {
  const packed = wanted.replace(/\s+/g, "");
  if (packed === "") return null;
  const found = text.replace(/\s+/g, "").indexOf(packed);
  if (found < 0) return null;
  const start = nthInk(text, found);
  let inFile = blankBefore(text, start);
  let inWanted = 0;
  // What begins in the middle of a line says nothing of what stands before it.
  const lead = /^\s*/.exec(wanted)![0];
  if (text.slice(inFile, start).endsWith(lead)) {
    inFile = start;
    inWanted = lead.length;
  }
  while (inWanted < wanted.length) {
    const [there, given] = [blankAt(text, inFile), blankAt(wanted, inWanted)];
    const isLast = inWanted + given.length === wanted.length;
    if (isLast ? !there.startsWith(given) : there !== given) {
      if (inWanted === 0 && !given.includes("\n"))
        return { start, line: lineAt(text, start), file: blankWords(there.slice(lineBegin(there))), given: blankWords(given) };
      const same = /[^\n]/.test(there + given) ? lineBegin(commonStart(there, given)) : 0;
      return { start, line: lineAt(text, inFile + same), file: blankWords(there.slice(same)), given: blankWords(given.slice(same)) };
    }
    inFile += given.length + 1;
    inWanted += given.length + 1;
  }
  return null;
}

/** Behind the last line end: the line before that is the same. */
const lineBegin = (blank: string): number => blank.lastIndexOf("\n") + 1;

function commonStart(one: string, two: string): string {
  let end = 0;
  while (end < one.length && one[end] === two[end]) end++;
  return one.slice(0, end);
}

/** Where the n-th character that is no white space stands. */
function nthInk(text: string, n: number): number {
  let left = n;
  for (let at = 0; at < text.length; at++) if (!BLANK.test(text[at]!) && left-- === 0) return at;
  return text.length;
}

const BLANK = /\s/;

function blankBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && BLANK.test(text[at - 1]!)) at--;
  return at;
}

function blankAt(text: string, from: number): string {
  let at = from;
  while (at < text.length && BLANK.test(text[at]!)) at++;
  return text.slice(from, at);
}

/** `4 spaces`, `1 tab`, `"\n  "`. */
function blankWords(blank: string): string {
  const count = (one: string) => `${blank.length} ${one}${blank.length === 1 ? "" : "s"}`;
  if (blank === "") return "none";
  if (/^ +$/.test(blank)) return count("space");
  if (/^\t+$/.test(blank)) return count("tab");
  if (/^\n+$/.test(blank)) return count("newline");
  return JSON.stringify(blank.slice(0, 40)).replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** As many whole lines as were wanted. */
function linesFrom(text: string, at: number, wanted: string): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  let end = start;
  for (let n = Math.min(wanted.replace(/\n$/, "").split("\n").length, MOST_LINES); n > 0 && end < text.length; n--) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return text.slice(start, Math.min(end, start + MOST_CHARACTERS));
}

export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

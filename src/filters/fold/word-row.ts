import { isErrorShaped } from "../errors.ts";
import type { Line } from "../line.ts";
import { weighText } from "./weigh-text.ts";

/** A line as words. Blanks between them only line up columns, but those at the front may mean something. */
export interface WordRow {
  readonly line: Line;
  readonly indent: string;
  readonly words: readonly string[];
  /** About how many tokens each word has. Bars and dots that rows share make no shape, and weigh nothing. */
  readonly weights: readonly number[];
}

const WORD = /[\p{L}\d]/u;
const MOST_WORDS = 60;
const LONGEST = 2000;

/** The way to an error is read as it was printed. */
const FRAME = /^\s*(?:at \S|File "|from \S+:\d+:in |#\d+ |\S+:\d+ in \S)/;
export const isFrame = (text: string): boolean => FRAME.test(text);

/** null: an error, which stays as it is, or a line that is no row: blank, or far too long. */
export function rowOf(line: Line): WordRow | null {
  const before = known.get(line);
  if (before !== undefined) return before;
  const row = readRow(line);
  known.set(line, row);
  return row;
}

/** Several ways of folding look at the same lines. */
const known = new WeakMap<Line, WordRow | null>();

function readRow(line: Line): WordRow | null {
  const { text, errors } = line;
  if (line.covers !== 1 || text.length > LONGEST) return null;
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || words.length > MOST_WORDS) return null;
  // `exceptions.py` in a list of files is a name.
  if (isFrame(text)) return null;
  if (errors > 0 && isErrorShaped(words.filter((word) => !isFile(word)).join(" "))) return null;
  const weights = words.map((word) => (WORD.test(word) ? weighText(` ${word}`) : 0));
  return { line, indent: /^\s*/.exec(text)![0], words, weights };
}

/** The same place at the front: equally far in, or numbers that end at the same column. */
export function startsAlike(a: WordRow, b: WordRow): boolean {
  if (a.indent === b.indent) return true;
  const [first = ""] = a.words;
  const [other = ""] = b.words;
  return NUMBER.test(first) && NUMBER.test(other) && a.indent.length + first.length === b.indent.length + other.length;
}

const NUMBER = /^[\d.,]+[%kKMGTP]?$/;

/** A path of a file, which has an ending; not a branch, a package or an address. */
const FILE = /^[\w.~+-]*\/[\w.~+/-]*\.[A-Za-z]\w*$/;
const isFile = (word: string): boolean => word.includes("/") && FILE.test(word);

/** The folder of a word that is the path of a file: `src/text/`. Nothing for other words. */
export function folderIn(word: string): string {
  return isFile(word) ? word.slice(0, word.lastIndexOf("/") + 1) : "";
}

import { type Line, lengthOf, standFor } from "../line.ts";
import { weighText } from "./weigh-text.ts";
import { rowOf, type WordRow } from "./word-row.ts";

const LONGEST = 12;
const WORTH = 12;
const SHARE = 0.15;
/** More words than these are hard to put back in one's head. */
const MOST_WORDS = 4;

/** Blocks of a few lines that are alike but for some words, one after the other: the first as it is, then `+2 × 7 lines for nginx 1.22: redis 7.0 | …`. */
export function foldRecords(lines: readonly Line[]): readonly Line[] {
  if (lines.some(({ text }) => looksLikeRecords(text))) return lines;
  const rows = lines.map(rowOf);
  const shown: Line[] = [];
  const budget = { left: MOST_COMPARED };
  for (let at = 0; at < lines.length; ) {
    const found = budget.left > 0 ? recordsAt(lines, rows, at, budget) : null;
    if (found) shown.push(...lines.slice(at, at + found.length), found.told);
    else shown.push(lines[at]!);
    at += found ? found.end - at : 1;
  }
  return shown.length < lines.length ? shown : lines;
}

const HEAD = /^\+(\d+) × (\d+) lines for /;
const looksLikeRecords = (text: string): boolean => HEAD.test(text);

interface Records {
  readonly length: number;
  readonly end: number;
  readonly told: Line;
}

/** So many lines are compared with others, and then no more. */
const MOST_COMPARED = 20_000;

function recordsAt(lines: readonly Line[], rows: readonly (WordRow | null)[], at: number, budget: { left: number }): Records | null {
  if (!rows[at]) return null;
  for (let length = 2; length <= LONGEST && at + 2 * length <= lines.length; length++) {
    if (!isLike(rows[at], rows[at + length])) continue;
    const found = tellRecords(lines, rows, at, length, budget);
    if (found) return found;
  }
  return null;
}

/** As far in, as many words. */
const isLike = (a: WordRow | null | undefined, b: WordRow | null | undefined): boolean =>
  !!a && !!b && a.indent === b.indent && a.words.length === b.words.length;

function tellRecords(
  lines: readonly Line[],
  rows: readonly (WordRow | null)[],
  at: number,
  length: number,
  budget: { left: number },
): Records | null {
  const first = rows.slice(at, at + length);
  // A word that is new in one record may be so in another only.
  let words: readonly string[] = [];
  let end = at + length;
  for (; end + length <= lines.length; end += length) {
    budget.left -= length;
    const found = newWords(first, lines.slice(end, end + length), rows.slice(end, end + length));
    const all = found && [...new Set([...words, ...found.keys()])];
    if (!all || all.length > MOST_WORDS) break;
    words = all;
  }
  if (end === at + length || words.length === 0) return null;
  const others = lines.slice(at + length, end);
  const count = others.length / length;
  const values: string[] = [];
  for (let from = at + length; from < end; from += length) {
    const found = newWords(first, lines.slice(from, from + length), rows.slice(from, from + length))!;
    values.push(words.map((word) => found.get(word) ?? word).join(" "));
  }
  const text = `+${count} × ${length} lines for ${words.join(" ")}: ${values.join(" | ")}`;
  const told = standFor(text, others);
  const all = others.reduce((sum, line) => sum + weighText(line.text) + 1, 0);
  const won = all - weighText(text);
  const rebuilt = rebuildRecords(
    first.map((row) => row?.line.text ?? ""),
    text,
  );
  const isWhole = rebuilt?.length === others.length && rebuilt.every((each, n) => isSameText(each, others[n]!.text));
  return won >= Math.max(WORTH, all * SHARE) && isWhole && lengthOf([told]) < lengthOf(others) ? { length, end, told } : null;
}

const isSameText = (a: string, b: string): boolean => a.trimEnd() === b.trimEnd();

/** Which words of the first record are others here. null: the records are not built alike. */
function newWords(
  first: readonly (WordRow | null)[],
  lines: readonly Line[],
  rows: readonly (WordRow | null)[],
): Map<string, string> | null {
  const found = new Map<string, string>();
  for (const [n, row] of first.entries()) {
    const other = rows[n];
    if (row === null && other === null && lines[n]!.text === "") continue;
    if (!isLike(row, other)) return null;
    for (const [at, word] of row!.words.entries()) {
      const [own, theirs] = [coreOf(word), coreOf(other!.words[at]!)];
      if (own === theirs) continue;
      if ((found.get(own) ?? theirs) !== theirs || found.size > MOST_WORDS) return null;
      found.set(own, theirs);
    }
  }
  return found;
}

/** What follows a word is no part of it: `nginx:` and `nginx` are one. */
const EDGES = /^(.*?)([:,;]*)$/;
const coreOf = (word: string): string => EDGES.exec(word)?.[1] || word;

/** The lines that a line of ours stands for, from the record above it. null: it is none of ours, or does not fit. */
export function rebuildRecords(first: readonly string[], text: string): readonly string[] | null {
  const [head, count, length] = HEAD.exec(text) ?? [];
  if (head === undefined || Number(length) !== first.length) return null;
  const colon = text.indexOf(": ");
  const words = text.slice(head.length, colon).split(" ");
  const records = text.slice(colon + 2).split(" | ");
  if (records.length !== Number(count)) return null;
  return records.flatMap((record) => {
    const values = record.split(" ");
    const said = new Map(words.map((word, n) => [word, values[n] ?? ""]));
    return first.map((line) => line.replace(/\S+/g, (word) => replaceCore(word, said)));
  });
}

function replaceCore(word: string, said: ReadonlyMap<string, string>): string {
  const [, core = "", after = ""] = EDGES.exec(word) ?? [];
  const inner = said.get(core);
  return core !== "" && inner !== undefined ? `${inner}${after}` : (said.get(word) ?? word);
}

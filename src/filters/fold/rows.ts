import { type Line, lengthOf, standFor } from "../line.ts";
import { type Folded, looksFolded, type Slot, sayRows } from "./notation.ts";
import { weighLines, weighText } from "./weigh-text.ts";
import { folderIn, rowOf, startsAlike, type WordRow } from "./word-row.ts";

const FEWEST = 3;
/** So many tokens must be won, or the rows are easier to read as they are. */
const WORTH = 8;
const SHARE = 0.12;
/** More places than these are hard to put back in one's head. */
const MOST_SLOTS = 4;
const WIDTH = 200;

export interface RowOptions {
  /** In how many places rows of one run may differ. */
  readonly mostSlots?: number;
  /** Of very many rows that only narrate, the first and the last are enough; the others count as left out. */
  readonly keep?: "all" | "ends";
}

/** Neighbouring rows of one shape: the first as it is, then `+6 for alloc.c: net.c sds.c …`, from which every row can be read back. */
export function foldRows(lines: readonly Line[], { mostSlots = MOST_SLOTS, keep = "all" }: RowOptions = {}): readonly Line[] {
  if (lines.some(({ text }) => looksFolded(text))) return lines;
  const rows = lines.map(rowOf);
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const run = runAt(rows, at);
    const folded = run && tell(run, mostSlots, keep);
    // What is not worth it from here on is hardly so from the next row on: half of it is passed over, so that no row is looked at again and again.
    const passed = folded ? run.rows.length : run ? Math.ceil(run.rows.length / 2) : 1;
    shown.push(...(folded ? [lines[at]!, ...folded] : lines.slice(at, at + passed)));
    at += passed;
  }
  return shown.length < lines.length ? shown : lines;
}

interface Run {
  readonly rows: readonly WordRow[];
  readonly alike: Alike;
}

/** What rows have in common with the first of them, word by word: all of it, its folder, or nothing. */
interface Alike {
  readonly words: readonly ("same" | "folder" | "other")[];
  /** Tokens of what each row shares with the first. */
  readonly weight: number;
}

/** The rows from here on that are like the first, as long as more of them make the rest no dearer. */
function runAt(rows: readonly (WordRow | null)[], at: number): Run | null {
  const first = rows[at];
  if (!first) return null;
  let alike = compare(first, rows[at + 1], null);
  if (!alike || (compareNext(rows, at + 1)?.weight ?? 0) > alike.weight * CLOSER) return null;
  let end = at + 2;
  for (; end < rows.length; end++) {
    const wider = compare(first, rows[end], alike);
    if (!wider || wider.weight * (end - at) < alike.weight * (end - at - 1)) break;
    if (wider.weight < alike.weight && (compareNext(rows, end)?.weight ?? 0) > wider.weight * CLOSER) break;
    alike = wider;
  }
  return end - at < FEWEST ? null : { rows: rows.slice(at, end) as WordRow[], alike };
}

/** A row that is so much more like the next one begins a run of its own. */
const CLOSER = 1.5;

function compareNext(rows: readonly (WordRow | null)[], at: number): Alike | null {
  const row = rows[at];
  return row ? compare(row, rows[at + 1], null) : null;
}

function compare(first: WordRow, other: WordRow | null | undefined, before: Alike | null): Alike | null {
  if (!other || !startsAlike(first, other)) return null;
  const length = Math.min(first.words.length, other.words.length, before?.words.length ?? Number.POSITIVE_INFINITY);
  const isUneven = first.words.length !== other.words.length || (before !== null && before.words.length !== first.words.length);
  const words: Alike["words"][number][] = [];
  let weight = 0;
  for (let n = 0; n < length; n++) {
    const word = first.words[n]!;
    const isOpen = isUneven && n === length - 1;
    const state = isOpen ? "other" : stateOf(word, other.words[n]!, before?.words[n] ?? "same");
    words.push(state);
    if (state === "same") weight += first.weights[n]!;
    else if (state === "folder") weight += weighText(folderIn(word));
  }
  return weight === 0 ? null : { words, weight };
}

function stateOf(word: string, other: string, before: Alike["words"][number]): Alike["words"][number] {
  if (before === "other") return "other";
  if (word === other) return before;
  const folder = folderIn(word);
  return folder !== "" && folder === folderIn(other) ? "folder" : "other";
}

function tell({ rows, alike }: Run, mostSlots: number, keep: "all" | "ends"): readonly Line[] | null {
  const [first, ...others] = rows;
  const slots = slotsOf(alike, first!.words);
  const folded = slots.length > mostSlots ? null : foldedAt(rows, slots);
  if (!folded) return null;
  const kept = keep === "ends" && others.length > MANY ? withoutMiddle(folded, others) : { folded, others };
  const told = wrapped(kept.folded, first!.indent, kept.others);
  const before = others.map(({ line }) => line);
  const won = weighLines(before) - weighLines(told);
  return lengthOf(told) < lengthOf(before) && won >= Math.max(WORTH, weighLines(before) * SHARE) ? told : null;
}

/** A slot whose words stand further to the front as well is widened until it is clear which are meant. */
function foldedAt(rows: readonly WordRow[], slots: readonly Slot[]): Folded | null {
  for (let tries = 0, wide = slots; tries < MOST_WIDENED; tries++) {
    const folded = sayRows(rows, wide);
    if (folded) return folded;
    const wider = widened(wide);
    if (!wider) return null;
    wide = wider;
  }
  return null;
}

const MOST_WIDENED = 4;

function widened(slots: readonly Slot[]): readonly Slot[] | null {
  const at = slots.findIndex(({ from, skip }, n) => skip === 0 && from > (slots[n - 1]?.to ?? 0));
  if (at === -1) return null;
  const { from, to } = slots[at]!;
  return slots.with(at, { from: from - 1, to, skip: 0 });
}

/** Words side by side that differ are one slot. A word that shares its folder begins one. */
function slotsOf({ words }: Alike, first: readonly string[]): Slot[] {
  const slots: Slot[] = [];
  for (const [n, state] of words.entries()) {
    const last = slots.at(-1);
    if (state === "same") continue;
    if (state === "other" && last?.to === n) slots[slots.length - 1] = { ...last, to: n + 1 };
    else slots.push({ from: n, to: n + 1, skip: state === "folder" ? folderIn(first[n]!).length : 0 });
  }
  const last = slots.at(-1);
  // Rows of different length differ in their last words, however many.
  if (last && words.length < first.length) slots[slots.length - 1] = { ...last, to: first.length };
  return slots;
}

const MANY = 20;
const AT_FRONT = 3;

function withoutMiddle({ head, values, separator }: Folded, others: readonly WordRow[]): { folded: Folded; others: readonly WordRow[] } {
  const ends = <T>(all: readonly T[]): T[] => [...all.slice(0, AT_FRONT), ...all.slice(-1)];
  const [last, ...front] = ends(values).reverse();
  return { folded: { head, values: [...front.reverse(), `… ${last}`], separator }, others: ends(others) };
}

/** No line is too long to be read. */
function wrapped({ head, values, separator }: Folded, indent: string, others: readonly WordRow[]): Line[] {
  const lines: Line[] = [];
  // As far in as the rows, of which some may be numbers further to the left.
  let text = others.every((row) => row.indent === indent) ? `${indent}${head}` : head;
  let rows: Line[] = [];
  for (const [n, value] of values.entries()) {
    text += ` ${value}${n < values.length - 1 && separator === " | " ? " |" : ""}`;
    rows.push(others[n]!.line);
    if (text.length >= WIDTH || n === values.length - 1) {
      lines.push(standFor(text, rows));
      text = " ";
      rows = [];
    }
  }
  return lines;
}

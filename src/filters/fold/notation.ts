import { startsAlike, type WordRow } from "./word-row.ts";

/** Words of the first row, side by side, in whose place other rows have others. `skip`: so much at the front is a folder that all share. */
export interface Slot {
  readonly from: number;
  readonly to: number;
  readonly skip: number;
}

export interface Folded {
  /** `+6 for alloc.c:` */
  readonly head: string;
  /** What each row has in place of that. */
  readonly values: readonly string[];
  readonly separator: " " | " | ";
}

const APART = " … ";

/** What the rows below the first one have in place of the words in its slots. null: it could not be read back. */
export function sayRows([first, ...others]: readonly WordRow[], slots: readonly Slot[]): Folded | null {
  if (!first || slots.length === 0) return null;
  const said = slots.map((slot) => wordsIn(first.words, slot).join(" "));
  const last = slots.at(-1)!;
  const isOpen = last.to === first.words.length;
  const values = others.map((row) =>
    slots.flatMap((slot) => wordsIn(row.words, slot === last && isOpen ? { ...slot, to: row.words.length } : slot)).join(" "),
  );
  const isList = [...said, ...values].every((value) => !value.includes(" ")) && slots.length === 1;
  const folded: Folded = { head: `+${others.length} for ${said.join(APART)}:`, values, separator: isList ? " " : " | " };
  const rebuilt = rebuildRows(first.words, `${folded.head} ${values.join(folded.separator)}`);
  const isWhole = rebuilt?.every((words, n) => isEqual(words, others[n]!.words)) && others.every((row) => startsAlike(first, row));
  return isWhole ? folded : null;
}

function wordsIn(words: readonly string[], { from, to, skip }: Slot): string[] {
  const found = words.slice(from, to);
  if (skip > 0 && found.length > 0) found[0] = found[0]!.slice(skip);
  return found;
}

const HEAD = /^\s*\+(\d+) for /;

/** Whether a line could be taken for one of ours. */
export const looksFolded = (text: string): boolean => HEAD.test(text);

/** The words of each row that a folded line stands for. null: it is no such line, or does not fit the row above it. */
export function rebuildRows(first: readonly string[], text: string): readonly (readonly string[])[] | null {
  const count = Number(HEAD.exec(text)?.[1] ?? Number.NaN);
  const start = text.indexOf(" for ") + " for ".length;
  const colon = text.indexOf(": ", start);
  if (Number.isNaN(count) || colon === -1) return null;
  const slots = slotsIn(
    first,
    text
      .slice(start, colon)
      .split(APART)
      .map((words) => words.split(" ")),
  );
  if (!slots) return null;
  const rest = text.slice(colon + 2);
  const values = rest.split(rest.includes(" | ") || count === 1 ? " | " : " ");
  return values.length === count ? values.map((value) => filled(first, slots, value.split(" "))) : null;
}

/** Where the words stand that are named: each the first time it comes, behind the one before. */
function slotsIn(first: readonly string[], named: readonly (readonly string[])[]): Slot[] | null {
  const slots: Slot[] = [];
  let from = 0;
  for (const words of named) {
    while (from + words.length <= first.length && !isAt(first, from, words)) from++;
    if (from + words.length > first.length) return null;
    slots.push({ from, to: from + words.length, skip: first[from]!.length - words[0]!.length });
    from += words.length;
  }
  return slots;
}

function isAt(first: readonly string[], from: number, [head = "", ...words]: readonly string[]): boolean {
  const word = first[from]!;
  return (word === head || word.endsWith(`/${head}`)) && words.every((each, n) => first[from + 1 + n] === each);
}

function filled(first: readonly string[], slots: readonly Slot[], values: readonly string[]): string[] {
  const row: string[] = [];
  let at = 0;
  let taken = 0;
  for (const { from, to, skip } of slots) {
    row.push(...first.slice(at, from));
    // Behind the last slot there is nothing: whatever is left belongs to it.
    const end = to === first.length ? values.length : taken + to - from;
    const [head = "", ...words] = values.slice(taken, end);
    row.push(first[from]!.slice(0, skip) + head, ...words);
    taken = end;
    at = to;
  }
  return [...row, ...first.slice(at)];
}

const isEqual = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((word, n) => word === b[n]);

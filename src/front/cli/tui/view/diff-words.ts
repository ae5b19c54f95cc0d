/** A piece of a line, and whether the other line has it too. */
export interface DiffWord {
  readonly text: string;
  readonly isSame: boolean;
}

const WORD = /\p{L}[\p{L}\p{M}\p{N}_]*|\p{N}+|\s+|./gsu;
/** The table of a comparison has the square of this. */
const MOST_WORDS = 200;
/** Two lines that share less than this of the longer one are different lines, and no word is marked. */
const LEAST_SHARED = 0.4;

/** What differs between a removed line and the one in its place; null where they have too little in common, or are too long. */
export function compareWords(before: string, after: string): { readonly before: DiffWord[]; readonly after: DiffWord[] } | null {
  if (before.length + after.length > MOST_WORDS * 20) return null;
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return null;
  const kept = sharedWords(a, b);
  const shared = [...kept.a].reduce((sum, n) => sum + a[n]!.trim().length, 0);
  const longer = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (shared < LEAST_SHARED * longer) return null;
  return { before: joined(a, kept.a), after: joined(b, kept.b) };
}

/** The longest row of words that both have, by their places in each. */
function sharedWords(a: readonly string[], b: readonly string[]): { readonly a: Set<number>; readonly b: Set<number> } {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] = a[i] === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const kept = { a: new Set<number>(), b: new Set<number>() };
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const at = i * width + j;
    if (a[i] === b[j]) {
      kept.a.add(i++);
      kept.b.add(j++);
    } else if (lengths[at + width]! >= lengths[at + 1]!) i++;
    else j++;
  }
  return kept;
}

/** Neighbours of the same kind are one piece. A blank between two words that differ differs with them. */
function joined(words: readonly string[], same: ReadonlySet<number>): DiffWord[] {
  const all: { text: string; isSame: boolean }[] = [];
  for (const [n, text] of words.entries()) {
    const isBlank = text.trim() === "" && n > 0 && n < words.length - 1 && !same.has(n - 1) && !same.has(n + 1);
    const isSame = same.has(n) && !isBlank;
    const last = all.at(-1);
    if (last?.isSame === isSame) last.text += text;
    else all.push({ text, isSame });
  }
  return all;
}

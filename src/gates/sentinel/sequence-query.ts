import type { Trajectory } from "../../core/ports/store.ts";

/** The calls of a sequence, oldest first, each as its words. */
export type SequenceSteps = readonly (readonly string[])[];

/** So many calls make a sequence. */
export const LONGEST = 5;
/** From here on two sequences are alike. */
export const ALIKE = 0.85;

/** The last call weighs most, each one before it half as much. */
export const WEIGHTS = Array.from({ length: LONGEST }, (_, n) => 0.5 ** n);
const TOTALS = WEIGHTS.map((_, n) => WEIGHTS.slice(0, n + 1).reduce((sum, one) => sum + one, 0));
/** However alike the calls before are, the last ones have to be at least so alike; what a number loses in computing is not held against it. */
const LAST = 1 - (1 - ALIKE) * TOTALS.at(-1)! - 1e-9;

/** A word, and the sequences that have it. What it is for the query that is being answered is written on it, so that nothing is looked up twice. */
export interface StoredWord {
  readonly text: string;
  uses: number;
  readonly groups: Set<SequenceGroup>;
  query: number;
  /** One bit for each call of the query that holds it, the last call's first. */
  held: number;
}

/** The words of a call, shared by all sequences that hold it. */
export interface StoredStep {
  readonly key: string;
  readonly words: readonly StoredWord[];
  uses: number;
  query: number;
  /** How like it is to each call of the query, as far as that was asked; -1 where it was not. */
  readonly scores: number[];
}

/** All that ended with the same call, word for word. */
export interface SequenceGroup {
  readonly tool: string;
  readonly last: StoredStep;
  readonly entries: Map<string, StoredSequence>;
  query: number;
}
export interface StoredSequence {
  readonly trajectory: Trajectory;
  /** The last call first. */
  readonly steps: readonly StoredStep[];
}

/** The sequence that is looked for. */
export interface SequenceQuery {
  readonly length: number;
  /** How like a stored call is to the n-th from the end. */
  score(step: StoredStep, n: number): number;
  candidates(): readonly SequenceGroup[];
}

/** What is asked about; its words are marked with the number of the query. */
export function createSequenceQuery(own: SequenceSteps, words: ReadonlyMap<string, StoredWord>, query: number): SequenceQuery | null {
  const tool = own.at(-1)?.[0];
  if (tool === undefined) return null;
  const sizes: number[] = [];
  const mark = (n: number): StoredWord[] => {
    const texts = new Set(own.at(-1 - n));
    sizes[n] = texts.size;
    const known: StoredWord[] = [];
    for (const text of texts) {
      const word = words.get(text);
      if (!word) continue;
      if (word.query !== query) word.held = 0;
      word.query = query;
      word.held |= 1 << n;
      known.push(word);
    }
    return known;
  };
  const ofLast = mark(0);
  return {
    length: Math.min(own.length, LONGEST),
    score(step, n) {
      if (sizes[n] === undefined) mark(n);
      if (step.query !== query) step.scores.fill(-1);
      step.query = query;
      if (step.scores[n] === -1) step.scores[n] = cosine(step, sizes[n]!, query, 1 << n);
      return step.scores[n]!;
    },
    /**
     * Every group whose last call could be alike enough. Two such calls share at least LAST² of the words, so that of all but so many
     * words of the one at least one is a word of the other: the rarest tell, and those that nobody has are the rarest.
     */
    candidates() {
      const needed = Math.max(1, Math.ceil(LAST * LAST * sizes[0]!));
      const looked = ofLast.length - needed + 1;
      const found: SequenceGroup[] = [];
      if (looked <= 0) return found;
      for (const { groups } of ofLast.sort((a, b) => a.groups.size - b.groups.size).slice(0, looked))
        for (const group of groups) {
          if (group.query === query || group.tool !== tool) continue;
          group.query = query;
          if (isClose(group.last, sizes[0]!, query)) found.push(group);
        }
      return found;
    },
  };
}

/** From 0 to 1: call by call from the last one backwards, as far as the stored one goes. It stops where `least` is out of reach. */
export function similarity(stored: readonly StoredStep[], asked: SequenceQuery, least: number): number {
  const total = TOTALS[stored.length - 1]!;
  let sum = 0;
  for (let n = 0; n < stored.length; n++) {
    if (n < asked.length) sum += WEIGHTS[n]! * asked.score(stored[n]!, n);
    if (sum + total - TOTALS[n]! < least * total - 1e-9) return 0;
  }
  return sum / total;
}

/** Whether the last calls are alike enough. Most are not, and their last words tell soonest. */
function isClose({ words }: StoredStep, size: number, query: number): boolean {
  const needed = LAST * Math.sqrt(size * words.length);
  if (size < needed) return false;
  let spare = words.length - needed;
  for (let n = words.length - 1; n >= 0 && spare >= 0; n--) {
    const { query: marked, held } = words[n]!;
    if (marked !== query || (held & 1) === 0) spare -= 1;
  }
  return spare >= 0;
}

/** How alike two sets of words are. */
function cosine({ words }: StoredStep, size: number, query: number, bit: number): number {
  let shared = 0;
  for (let n = 0; n < words.length; n++) if (words[n]!.query === query && (words[n]!.held & bit) !== 0) shared += 1;
  return size === 0 || words.length === 0 ? 0 : shared / Math.sqrt(size * words.length);
}

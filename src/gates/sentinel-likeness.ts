import type { Trajectory } from "../core/store.ts";

export type Steps = readonly (readonly string[])[];

/** So many calls make a sequence. */
export const LONGEST = 5;
/** From here on two sequences are alike. */
export const ALIKE = 0.85;
const MOST = 5_000;

/** The last call weighs most, each one before it half as much. */
const WEIGHTS = Array.from({ length: LONGEST }, (_, n) => 0.5 ** n);
const TOTALS = WEIGHTS.map((_, n) => WEIGHTS.slice(0, n + 1).reduce((sum, one) => sum + one, 0));
/** However alike the calls before are, the last ones have to be at least so alike. */
const LAST = 1 - (1 - ALIKE) * TOTALS.at(-1)!;

export interface Alike {
  readonly trajectory: Trajectory;
  readonly score: number;
}

/** What ended badly, found by the words of its last call. */
export interface Likeness {
  add(trajectory: Trajectory): void;
  remove(callId: string): void;
  /** A call ended well: errors that ended with the very same call are taken back. */
  takeBack(last: readonly string[]): void;
  closest(steps: Steps): Alike | null;
  /** Those that ended with a call of this tool. */
  of(tool: string): readonly Trajectory[];
}

/** All that ended with the same call, word for word. */
interface Group {
  readonly key: string;
  readonly tool: string;
  readonly words: ReadonlySet<string>;
  readonly entries: Map<string, Trajectory>;
}

export function likeness(): Likeness {
  const groups = new Map<string, Group>();
  const byWord = new Map<string, Set<Group>>();
  const byCall = new Map<string, Group>();

  const remove = (callId: string) => {
    const group = byCall.get(callId);
    if (!group) return;
    byCall.delete(callId);
    group.entries.delete(callId);
    if (group.entries.size > 0) return;
    groups.delete(group.key);
    for (const word of group.words) {
      const holders = byWord.get(word)!;
      holders.delete(group);
      if (holders.size === 0) byWord.delete(word);
    }
  };
  const groupOf = (last: readonly string[]): Group => {
    const key = keyOf(last);
    const known = groups.get(key);
    if (known) return known;
    const group: Group = { key, tool: last[0]!, words: new Set(last), entries: new Map() };
    groups.set(key, group);
    for (const word of group.words) {
      const holders = byWord.get(word);
      if (holders) holders.add(group);
      else byWord.set(word, new Set([group]));
    }
    return group;
  };

  return {
    add(trajectory) {
      const last = trajectory.steps.at(-1);
      remove(trajectory.callId);
      if (!last?.[0] || !counts(trajectory)) return;
      if (byCall.size >= MOST) remove(byCall.keys().next().value!);
      const group = groupOf(last);
      group.entries.set(trajectory.callId, trajectory);
      byCall.set(trajectory.callId, group);
    },
    remove,
    takeBack(last) {
      for (const { callId, ended } of groups.get(keyOf(last))?.entries.values() ?? []) if (ended === "error") remove(callId);
    },
    closest(steps) {
      const last = steps.at(-1);
      if (!last) return null;
      const own = steps.map((words) => new Set(words));
      let best: Alike | null = null;
      for (const group of candidates(own.at(-1)!, byWord)) {
        if (group.tool !== last[0] || cosine(own.at(-1)!, group.words) < LAST) continue;
        for (const trajectory of group.entries.values()) {
          const score = similarity(own, trajectory.steps);
          if (score >= ALIKE && score > (best?.score ?? 0)) best = { trajectory, score };
        }
      }
      return best;
    },
    of: (tool) => [...groups.values()].flatMap((group) => (group.tool === tool ? [...group.entries.values()] : [])),
  };
}

/** One call that failed says little, and the rules themselves judge it when it comes again. A person's word is enough. */
const counts = ({ ended, steps }: Trajectory): boolean => ended === "unacceptable" || (ended !== "ok" && steps.length > 1);

/**
 * Every group whose last call could be alike enough. Two such calls share at least LAST² of the words, so that of all but so many
 * words of the one at least one is a word of the other: the rarest tell.
 */
function candidates(words: ReadonlySet<string>, byWord: ReadonlyMap<string, ReadonlySet<Group>>): ReadonlySet<Group> {
  const needed = Math.max(1, Math.ceil(LAST * LAST * words.size - 1e-9));
  const held = [...words].flatMap((word) => byWord.get(word) ?? []).sort((a, b) => a.size - b.size);
  // Words that nobody else has count among the rarest.
  const looked = words.size - needed + 1 - (words.size - held.length);
  const found = new Set<Group>();
  for (const holders of held.slice(0, Math.max(0, looked))) for (const group of holders) found.add(group);
  return found;
}

/** From 0 to 1: call by call from the last one backwards, as far as the stored one goes. */
export function similarity(own: readonly ReadonlySet<string>[], stored: Steps): number {
  const length = Math.min(stored.length, LONGEST);
  let sum = 0;
  for (let n = 1; n <= length; n++) {
    const mine = own.at(-n);
    if (mine) sum += WEIGHTS[n - 1]! * cosine(mine, stored.at(-n)!);
  }
  return length === 0 ? 0 : sum / TOTALS[length - 1]!;
}

/** How alike two sets of words are. A list holds each word once. */
function cosine(a: ReadonlySet<string>, b: ReadonlySet<string> | readonly string[]): number {
  let shared = 0;
  for (const word of b) if (a.has(word)) shared += 1;
  const size = "size" in b ? b.size : b.length;
  return a.size === 0 || size === 0 ? 0 : shared / Math.sqrt(a.size * size);
}

const keyOf = (words: readonly string[]): string => words.join("\u0000");

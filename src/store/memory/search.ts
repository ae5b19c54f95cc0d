import type { Memories, MemoryQuery, Recalled } from "../../core/ports/store.ts";
import { count } from "../sqlite/values.ts";
import { messageOf } from "./queries.ts";
import { memoryOf } from "./row.ts";
import type { Neighbours } from "./vectors.ts";
import type { FoundWords } from "./words.ts";

const MOST_HITS = 200;

type Found = Awaited<ReturnType<Memories["search"]>> & {
  /** What was not searched, and why. */
  readonly notes: readonly string[];
};

/** Where memories and messages are looked for, each list best first. What a database answers at once need not be waited for. */
export interface SearchedPlaces {
  words(query: WordQuery): Promised<{ readonly saved: FoundWords; readonly said: FoundWords }>;
  near(embedder: string, of: Float32Array, workspace: string, limit: number): Promise<Neighbours>;
  /** Rows of memories by their keys, in this order. */
  byKeys(keys: readonly number[]): Promised<readonly (Row | undefined)[]>;
}
export interface WordQuery {
  readonly text: string;
  readonly workspace: string;
  readonly limit: number;
  readonly except: string | null;
}
type Promised<T> = T | Promise<T>;

/**
 * Three lists: memories by words, memories by meaning, messages by words. What stands at place p of a list gets
 * 1 / (60 + p) for it, so that a good place in one list counts, and one in two lists counts more, whatever each list's own scores are.
 */
export function createMemorySearch({ words, near: neighbours, byKeys }: SearchedPlaces): (query: MemoryQuery) => Promise<Found> {
  return async ({ text, workspace, limit, vector, except = null }) => {
    const most = Math.min(count(limit), MOST_HITS);
    if (most === 0) return { hits: [], damaged: 0, notes: [] };
    // More than are shown, because what is the same to read is shown once.
    const wanted = Math.min(most + 4, MOST_HITS);
    const { saved, said } = await words({ text, workspace, limit: wanted, except });
    const near = vector ? await neighbours(vector.embedder, vector.of, workspace, wanted) : { nearest: [], damaged: 0 };

    const merged = ranking();
    const unreadable = new Set<string>();
    const list = (name: string, rows: readonly (Row | undefined)[], hitOf: (row: Row) => Scored | null) => {
      for (const [place, row] of rows.entries()) {
        const hit = row && hitOf(row);
        if (hit) merged.add(name, place + 1, hit);
        else if (row) unreadable.add(`${hitOf.name} ${row.n}`);
      }
    };
    list("words", saved.rows, memoryHit);
    list("meaning", near.nearest.length === 0 ? [] : await byKeys(near.nearest), memoryHit);
    list("said", said.rows, messageOf);
    return { hits: merged.best(most), damaged: near.damaged + unreadable.size, notes: notesOf(near.note, saved.broken || said.broken) };
  };
}

type Row = Record<string, unknown>;
type Scored = (score: number) => Recalled;

function memoryHit(row: Row): Scored | null {
  const memory = memoryOf(row);
  return memory && ((score) => ({ kind: "memory", memory, score }));
}

/** What is the same to read is one hit, and a list counts once for it. On a draw what was saved comes before what was said. */
function ranking() {
  const hits = new Map<string, { readonly hit: Scored; score: number; readonly lists: Set<string> }>();
  return {
    add(list: string, place: number, hit: Scored): void {
      const read = hit(0);
      const text = read.kind === "memory" ? read.memory.content : read.excerpt;
      const known = hits.get(text) ?? { hit, score: 0, lists: new Set<string>() };
      if (!known.lists.has(list)) known.score += 1 / (60 + place);
      known.lists.add(list);
      hits.set(text, known);
    },
    best: (most: number): readonly Recalled[] =>
      [...hits.values()]
        .sort((a, b) => b.score - a.score)
        .slice(0, most)
        .map(({ hit, score }) => hit(score)),
  };
}

function notesOf(vectors: string | undefined, isBroken: boolean): readonly string[] {
  return [
    ...(vectors === undefined ? [] : [`searched by words only: ${vectors}`]),
    ...(isBroken ? ["the index of words is damaged and could not be repaired; only the newest were searched"] : []),
  ];
}

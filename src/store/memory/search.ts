import type { Memories, MemoryQuery, Recalled } from "../../core/ports/store.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";
import { count } from "../sqlite/values.ts";
import { MEMORIES, MESSAGES, messageOf } from "./queries.ts";
import { MEMORY_COLUMNS, memoryOf } from "./row.ts";
import { createVectorSearch } from "./vectors.ts";
import { createWordSearch } from "./words.ts";

const MOST_HITS = 200;

type Found = Awaited<ReturnType<Memories["search"]>> & {
  /** What was not searched, and why. */
  readonly notes: readonly string[];
};

/**
 * Three lists, each best first: memories by words, memories by meaning, messages by words. What stands at place p of a list gets
 * 1 / (60 + p) for it, so that a good place in one list counts, and one in two lists counts more, whatever each list's own scores are.
 */
export function createMemorySearch(db: Sqlite): (query: MemoryQuery) => Promise<Found> {
  const memoryWords = createWordSearch(db, MEMORIES);
  const saidWords = createWordSearch(db, MESSAGES);
  const neighbours = createVectorSearch(db);
  const byKey = db.statement(`select ${MEMORY_COLUMNS} from memories as m where m.n = ?`);

  return async ({ text, workspace, limit, vector, except = null }) => {
    const most = Math.min(count(limit), MOST_HITS);
    if (most === 0) return { hits: [], damaged: 0, notes: [] };
    // More than are shown, because what is the same to read is shown once.
    const wanted = Math.min(most + 4, MOST_HITS);
    const saved = memoryWords(text, wanted, workspace);
    const near = vector ? await neighbours(vector.embedder, vector.of, workspace, wanted) : { nearest: [], damaged: 0 };
    const said = saidWords(text, wanted, workspace, except);

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
    list(
      "meaning",
      near.nearest.map((key) => byKey.get(key)),
      memoryHit,
    );
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

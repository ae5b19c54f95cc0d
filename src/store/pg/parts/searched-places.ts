import { MOST_RANKED } from "../../memory/queries.ts";
import type { SearchedPlaces, WordQuery } from "../../memory/search.ts";
import { chooseRarest, isUnspaced, searchTerms, termPieces } from "../../memory/terms.ts";
import { createVectorSearch } from "../../memory/vectors.ts";
import type { PgRow, Rows } from "../pg.ts";
import { excerptAround, excerptAt, foldedWords } from "./words.ts";

export const MEMORY_ROW = "m.n, m.id, m.workspace, m.untrusted, m.created_at, m.content";
const SAID_ROW = "s.n, s.conversation_id as conversation, c.title, s.role, s.position, s.created_at, s.text";
const OF_CONVERSATION = "conversations c on c.tenant = s.tenant and c.id = s.conversation_id";
/** Rows read one by one where the index is of no use. */
const NEWEST = 20_000;

const found = (text: string) => `(select count(*) from unnest(?1::text[]) as piece where position(piece in lower(${text})) > 0)`;

const MEMORIES_CONTAINING = `
  select * from (
    select ${MEMORY_ROW}, ${found("m.content")} as found
    from (select * from memories where workspace is null or workspace = ?2 order by n desc limit ${NEWEST}) as m) as m
  where m.found > 0 order by m.found desc, m.n desc limit ?3`;
const SAID_CONTAINING = `
  select * from (
    select ${SAID_ROW}, ${found("s.text")} as found from said s join ${OF_CONVERSATION}
    where c.workspace = ?2 and (c.id is distinct from ?4 or s.position <= c.window_start) order by s.n desc limit ${NEWEST}) as s
  where s.found > 0 order by s.found desc, s.n desc limit ?3`;

/** Memories and messages of one tenant. */
export function createSharedPlaces(db: Rows): SearchedPlaces {
  return {
    async words(query) {
      const terms = searchTerms(query.text);
      const [saved, said] = terms.some(isUnspaced) ? await rowByRow(db, termPieces(terms), query) : await byIndex(db, terms, query);
      return { saved: { rows: saved, broken: false }, said: { rows: said, broken: false } };
    },
    near: createVectorSearch({
      state: async (embedder) =>
        (await db.one<{ rows: number; newest: number }>(
          "select count(*) as rows, coalesce(max(id), 0) as newest from memory_vectors where embedder = ?",
          embedder,
        ))!,
      next: ({ embedder, after, dims, limit }) =>
        db.all(
          `select v.id, v.memory, v.dims, m.workspace, case when length(v.vector) = ?::integer * 4 then v.vector end as vector
           from memory_vectors v join memories m on m.tenant = v.tenant and m.n = v.memory
           where v.embedder = ? and v.id > ? order by v.id limit ?`,
          dims,
          embedder,
          after,
          limit,
        ),
    }),
    async byKeys(keys) {
      const rows = await db.all(`select ${MEMORY_ROW} from memories as m where m.n = any(?::bigint[])`, keys);
      const byKey = new Map(rows.map((row) => [row.n, row]));
      return keys.map((key) => byKey.get(key));
    },
  };
}

type TwoLists = readonly [saved: PgRow[], said: PgRow[]];

async function byIndex(db: Rows, terms: readonly string[], { workspace, limit, except }: WordQuery): Promise<TwoLists> {
  const words = [...new Set(foldedWords(terms.join(" ")))];
  if (words.length === 0) return [[], []];
  const counted = await db.all<{ term: string; memories: number; said: number }>(
    "select term, memories, said from count_words(?::text[], ?, ?)",
    words,
    workspace,
    MOST_RANKED,
  );
  const query = (part: "memories" | "said") => chooseRarest(counted.map((one) => ({ term: one.term, rows: one[part] }))).chosen.join(" | ");
  const [inMemories, inSaid] = [query("memories"), query("said")];
  // Each row by its number: the server knows too little of what the functions find to choose that by itself.
  const [saved, said] = await Promise.all([
    inMemories === ""
      ? []
      : db.all(
          `select m.* from rank_memories(?, ?, ?, ?) as best
           cross join lateral (select ${MEMORY_ROW} from memories m where m.n = best.key limit 1) as m order by best.score desc, m.n desc`,
          inMemories,
          workspace,
          MOST_RANKED,
          limit,
        ),
    inSaid === ""
      ? []
      : db.all(
          `select s.* from rank_said(?, ?, ?, ?, ?) as best
           cross join lateral (select ${SAID_ROW} from said s join ${OF_CONVERSATION} where s.n = best.key limit 1) as s
           order by best.score desc, s.n desc`,
          inSaid,
          workspace,
          MOST_RANKED,
          limit,
          except,
        ),
  ]);
  return [saved, said.map(({ text, ...row }) => ({ ...row, excerpt: excerptAround(text, words) }))];
}

async function rowByRow(db: Rows, pieces: readonly string[], { workspace, limit, except }: WordQuery): Promise<TwoLists> {
  const [saved, said] = await Promise.all([
    db.all(MEMORIES_CONTAINING, pieces, workspace, limit),
    db.all(SAID_CONTAINING, pieces, workspace, limit, except),
  ]);
  const firstIn = (text: string) => {
    const places = pieces.map((piece) => text.toLowerCase().indexOf(piece)).filter((at) => at >= 0);
    return places.length === 0 ? -1 : Math.min(...places);
  };
  return [saved, said.map(({ text, ...row }) => ({ ...row, excerpt: excerptAt(text, firstIn(text)) }))];
}

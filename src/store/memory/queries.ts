import type { Recalled } from "../../core/ports/store.ts";
import { momentIn, wholeIn } from "../sqlite/values.ts";
import { MEMORY_COLUMNS } from "./row.ts";

/** Rows that are compared with each other; more than these, and the newest are. */
export const MOST_RANKED = 1_000;
/** So many of the best are looked at by the quick way. */
export const QUICK = 200;
/** Rows read one by one where the index is of no use. */
const NEWEST = 20_000;
const EXCERPT = 300;
/** So many words are shown around a hit. */
const AROUND = 40;

/**
 * How a place is searched. Parameters: ?1 what to match, ?2 whether by rank or the newest, ?3 how many, ?4 the workspace,
 * ?5 the conversation that asks.
 */
export interface IndexedPlace {
  readonly index: "memory_words" | "said_words";
  /** Ranks first and looks afterwards whose the best are: quick, and enough unless most belong to others. */
  readonly quick: string;
  /** Looks first whose each row is. */
  readonly thorough: string;
  /** Without the index: ?1 is a JSON array of pieces, and whoever has most of them is best. */
  readonly containing: string;
}

/** `cross join` keeps the order of the tables: first the index, then what it found. */
function matching({ index, tables, where, columns }: { index: string; tables: (key: string) => string; where: string; columns: string }) {
  // The columns come last: an excerpt is made only of what is shown.
  const shown = `select ${columns} from best cross join ${tables("best.key")} order by best.score, best.key desc`;
  return {
    quick: `
      with ranked as materialized (select rowid as key, rank as score from ${index} where ${index} match ?1 order by rank limit ${QUICK}),
      best as materialized (
        select ranked.key as key, ranked.score as score from ranked cross join ${tables("ranked.key")}
        where ${where} and ?2 is not null order by 2, 1 desc limit ?3
      )
      ${shown}`,
    thorough: `
      with best as materialized (
        select key, score from (
          select ${index}.rowid as key, case when ?2 then bm25(${index}) else 0 end as score
          from ${index} cross join ${tables(`${index}.rowid`)}
          where ${index} match ?1 and ${where}
          order by ${index}.rowid desc limit case when ?2 then ${MOST_RANKED} else ?3 end
        ) order by score, key desc limit ?3
      )
      ${shown}`,
  };
}

const SAID = `s.n as n, s.conversation_id as conversation, c.title as title, s.role as role,
  ${wholeIn("s.position")} as position, ${momentIn("s.created_at")} as created_at`;
const conversationOf = (said: string) => `conversations as c on c.id = ${said}.conversation_id`;

/** Of the conversation that asks, only what is no longer sent to its model is worth finding. */
const notBeforeTheirEyes = (said: string) => `(c.id is not ?5 or ${said}.position <= c.window_start)`;

const piecesIn = (text: string) => `(select count(*) from json_each(?1) as piece where instr(lower(${text}), piece.value) > 0)`;
const firstPieceIn = (text: string) =>
  `(select min(instr(lower(${text}), piece.value)) from json_each(?1) as piece where instr(lower(${text}), piece.value) > 0)`;

const MEMORIES_CONTAINING = `
  select ${MEMORY_COLUMNS}, ${piecesIn("m.content")} as found
  from (select * from memories where workspace is null or workspace = ?4 order by n desc limit ${NEWEST}) as m
  where found > 0 and ?2 is not null
  order by found desc, m.n desc limit ?3`;

const SAID_CONTAINING = `
  select ${SAID}, ${piecesIn("s.text")} as found, substr(s.text, max(1, ${firstPieceIn("s.text")} - 80), ${EXCERPT}) as excerpt
  from (select said.* from said cross join ${conversationOf("said")}
        where c.workspace = ?4 and ${notBeforeTheirEyes("said")} order by said.n desc limit ${NEWEST}) as s
    cross join ${conversationOf("s")}
  where found > 0 and ?2 is not null
  order by found desc, s.n desc limit ?3`;

export const MEMORIES: IndexedPlace = {
  index: "memory_words",
  ...matching({
    index: "memory_words",
    tables: (key) => `memories as m on m.n = ${key}`,
    where: "(m.workspace is null or m.workspace = ?4)",
    columns: MEMORY_COLUMNS,
  }),
  containing: MEMORIES_CONTAINING,
};

export const MESSAGES: IndexedPlace = {
  index: "said_words",
  ...matching({
    index: "said_words",
    tables: (key) => `said as s on s.n = ${key} cross join ${conversationOf("s")}`,
    where: `c.workspace = ?4 and ${notBeforeTheirEyes("s")}`,
    columns: `${SAID}, (select substr(snippet(said_words, 0, '', '', '…', ${AROUND}), 1, ${EXCERPT})
                        from said_words where said_words match ?1 and rowid = best.key) as excerpt`,
  }),
  containing: SAID_CONTAINING,
};

/** Null for a row that is damaged. */
export function messageOf(row: Record<string, unknown>): ((score: number) => Recalled) | null {
  const { conversation, title, position, role, excerpt, created_at: createdAt } = row;
  if (typeof conversation !== "string" || typeof title !== "string" || typeof excerpt !== "string") return null;
  if (typeof position !== "number" || typeof createdAt !== "number" || (role !== "user" && role !== "assistant")) return null;
  return (score) => ({ kind: "message", conversation, title, position, role, excerpt: excerpt.trim(), createdAt, score });
}

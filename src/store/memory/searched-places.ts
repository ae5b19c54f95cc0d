import type { Sqlite } from "../sqlite/sqlite.ts";
import { MEMORIES, MESSAGES } from "./queries.ts";
import { MEMORY_COLUMNS } from "./row.ts";
import type { SearchedPlaces } from "./search.ts";
import { createVectorSearch } from "./vectors.ts";
import { createWordSearch } from "./words.ts";

/** Memories and messages of one SQLite file. */
export function createSearchedPlaces(db: Sqlite): SearchedPlaces {
  const memoryWords = createWordSearch(db, MEMORIES);
  const saidWords = createWordSearch(db, MESSAGES);
  const byKey = db.statement(`select ${MEMORY_COLUMNS} from memories as m where m.n = ?`);
  const state = db.statement<{ rows: number; newest: number }>(
    "select count(*) as rows, coalesce(max(id), 0) as newest from memory_vectors where embedder = ?",
  );
  const next = db.statement(
    `select v.id as id, v.memory as memory, v.dims as dims, m.workspace as workspace,
       case when typeof(v.vector) = 'blob' and length(v.vector) = ? * 4 then v.vector end as vector
     from memory_vectors as v cross join memories as m on m.n = v.memory
     where v.embedder = ? and v.id > ? order by v.id limit ?`,
  );
  return {
    words: ({ text, workspace, limit, except }) => ({
      saved: memoryWords(text, limit, workspace),
      said: saidWords(text, limit, workspace, except),
    }),
    near: createVectorSearch({
      state: (embedder) => state.get(embedder)!,
      next: ({ embedder, after, dims, limit }) => next.all(dims, embedder, after, limit),
    }),
    byKeys: (keys) => keys.map((key) => byKey.get(key)),
  };
}

import { randomUUID } from "node:crypto";
import type { Memories } from "../../core/ports/store.ts";
import { sha256 } from "../audit/lines.ts";
import { erase } from "../sqlite/erase.ts";
import { withIndexRepair } from "../sqlite/index-repair.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";
import { count, risingClock } from "../sqlite/values.ts";
import { assertContent, assertVector, MEMORY_COLUMNS, memoryOf, READABLE, readableMemories } from "./row.ts";
import { createMemorySearch } from "./search.ts";
import { createSearchedPlaces } from "./searched-places.ts";

/** Fixed statements: full text and vectors are this database's own, and Kysely has no words for them. */
export function createMemories(db: Sqlite): Memories {
  const now = risingClock();
  const insert = db.statement(
    `insert into memories (id, workspace, content, hash, untrusted, conversation_id, created_at)
     values (?, ?, ?, ?, ?, (select id from conversations where id = ?), ?)`,
  );
  const columns = `select ${MEMORY_COLUMNS} from memories as m`;
  const same = db.statement(`${columns} where m.hash = ? and m.workspace is ? and m.content = ?`);
  const byId = db.statement(`${columns} where m.id = ?`);
  const newestFirst = "order by m.created_at desc, m.n desc limit ?";
  const all = db.statement(`${columns} ${newestFirst}`);
  const seenFrom = db.statement(`${columns} where m.workspace = ? or m.workspace is null ${newestFirst}`);
  const forgetOne = db.statement("delete from memories where id = ?");
  const forgetPlace = db.statement("delete from memories where workspace = ?");
  const forgetAll = db.statement("delete from memories");
  const countAll = db.statement("select count(*) as n from memories");
  const countPlace = db.statement("select count(*) as n from memories where workspace = ?");
  // The newest vector says how long this embedder's are now; one of another length has to be made again.
  const without = db.statement(
    `${columns} left join memory_vectors as v on v.memory = m.n and v.embedder = ?1
     where (v.id is null or v.dims <> (select dims from memory_vectors where embedder = ?1 order by id desc limit 1)) and ${READABLE}
     order by m.n limit ?2`,
  );
  const addVector = db.statement(
    "insert or replace into memory_vectors (memory, embedder, dims, vector) select n, ?, ?, ? from memories where id = ?",
  );

  const changed = <T>(work: () => T): T => withIndexRepair(db, "memory_words", () => db.together(work));
  return {
    async save({ content, workspace, untrusted, conversation = null }) {
      assertContent(content);
      const text = content.toWellFormed();
      const hash = sha256(text);
      return changed(() => {
        // A damaged row is no answer; the text is kept once more.
        const [known] = readableMemories(same.all(hash, workspace, text));
        if (known) return known;
        const made = { id: randomUUID(), workspace, content: text, untrusted, createdAt: now() };
        insert.run(made.id, workspace, text, hash, untrusted, conversation, made.createdAt);
        return made;
      });
    },
    get: async (id) => {
      const row = byId.get(id);
      return row ? memoryOf(row) : null;
    },
    list: async ({ workspace, limit }) =>
      readableMemories(workspace === undefined ? all.all(count(limit)) : seenFrom.all(workspace, count(limit))),
    async forget(which) {
      const gone = changed(() => {
        if (which === "all") return forgetAll.run();
        return "id" in which ? forgetOne.run(which.id) : forgetPlace.run(which.workspace);
      });
      if (gone > 0) erase(db);
      return gone;
    },
    count: async (workspace) => (workspace === undefined ? countAll.get() : countPlace.get(workspace))!.n as number,
    search: createMemorySearch(createSearchedPlaces(db)),
    withoutVector: async (embedder, limit) => readableMemories(without.all(embedder, count(limit))),
    async addVector(id, embedder, vector) {
      assertVector(vector);
      addVector.run(embedder, vector.length, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id);
    },
  };
}

import { randomUUID } from "node:crypto";
import type { Memories } from "../../../core/ports/store.ts";
import { sha256 } from "../../audit/lines.ts";
import { assertContent, assertVector, memoryOf, readableMemories } from "../../memory/row.ts";
import { createMemorySearch } from "../../memory/search.ts";
import { count, risingClock } from "../../sqlite/values.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";
import { createSharedPlaces, MEMORY_ROW } from "./searched-places.ts";
import { foldedText } from "./words.ts";

export function createSharedMemories(db: Transactions, fence: FenceNow): Memories {
  const now = risingClock();
  const writes = createFencedWrites(db, fence);
  const columns = `select ${MEMORY_ROW} from memories as m`;
  const newestFirst = "order by m.created_at desc, m.n desc limit ?";
  return {
    async save({ content, workspace, untrusted, conversation = null }) {
      assertContent(content);
      const text = content.toWellFormed();
      const hash = sha256(text);
      const made = { id: randomUUID(), workspace, content: text, untrusted, createdAt: now() };
      const isNew = await writes.run(
        `insert into memories (id, workspace, content, hash, untrusted, conversation_id, created_at, words)
         select ?1, ?2, ?3, ?4, ?5, (select c.id from conversations c where c.id = ?6), ?7, words_of(?8, ?2) from fence
         on conflict (tenant, workspace, hash) do nothing`,
        made.id,
        workspace,
        text,
        hash,
        untrusted ? 1 : 0,
        conversation,
        made.createdAt,
        foldedText(text),
      );
      if (isNew > 0) return made;
      const known = await db.one(`${columns} where m.hash = ? and m.workspace is not distinct from ?`, hash, workspace);
      // Forgotten in between: what was asked for is what there would be.
      return (known && memoryOf(known)) ?? made;
    },
    get: async (id) => {
      const row = await db.one(`${columns} where m.id = ?`, id);
      return row ? memoryOf(row) : null;
    },
    list: async ({ workspace, limit }) =>
      readableMemories(
        workspace === undefined
          ? await db.all(`${columns} ${newestFirst}`, count(limit))
          : await db.all(`${columns} where m.workspace = ? or m.workspace is null ${newestFirst}`, workspace, count(limit)),
      ),
    forget: (which) => {
      const forget = "delete from memories where exists (select 1 from fence)";
      if (which === "all") return writes.run(forget);
      return "id" in which ? writes.run(`${forget} and id = ?`, which.id) : writes.run(`${forget} and workspace = ?`, which.workspace);
    },
    count: async (workspace) => {
      const all = "select count(*) as number from memories";
      return (workspace === undefined ? await db.one(all) : await db.one(`${all} where workspace = ?`, workspace))!.number;
    },
    search: createMemorySearch(createSharedPlaces(db)),
    // The newest vector says how long this embedder's are now; one of another length has to be made again.
    withoutVector: async (embedder, limit) =>
      readableMemories(
        await db.all(
          `${columns} left join memory_vectors as v on v.tenant = m.tenant and v.memory = m.n and v.embedder = ?1
           where v.id is null or v.dims <> (select dims from memory_vectors where embedder = ?1 order by id desc limit 1)
           order by m.n limit ?2`,
          embedder,
          count(limit),
        ),
      ),
    async addVector(id, embedder, vector) {
      assertVector(vector);
      // With a new id: whoever holds the vectors sees by it that one has changed.
      await db.run(
        `insert into memory_vectors (memory, embedder, dims, vector) select n, ?, ?, ? from memories where id = ?
         on conflict (tenant, memory, embedder) do update set id = default, dims = excluded.dims, vector = excluded.vector`,
        embedder,
        vector.length,
        new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
        id,
      );
    },
  };
}

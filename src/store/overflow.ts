import { randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Kept, Overflow, Owner } from "../core/store.ts";
import { isLocked } from "./error.ts";
import type { Sqlite } from "./sqlite.ts";

/** SQLite waits with the whole process standing still, so it waits briefly and we wait for the rest. */
const PATIENCE_MS = 20;
const PAUSE_MS = 25;
const TRIES = 100;
/** Texts deleted in one transaction: they may be large, and others want to write. */
const BATCH = 50;

/** Fixed statements: a text is kept with many a command, and Kysely is not loaded for that. */
export function overflow(db: Sqlite): Overflow {
  const insert = db.statement(
    "insert into tool_overflow (id, scope, conversation_id, handle, body, size, created_at) values (?, ?, ?, ?, ?, ?, ?)",
    PATIENCE_MS,
  );
  const columns = "select id, handle, body, created_at from tool_overflow";
  const newestFirst = "order by created_at desc, rowid desc limit 1";
  const byId = db.statement(`${columns} where id = ? and scope = ?`);
  const byHandle = db.statement(`${columns} where handle = ? and scope = ? ${newestFirst}`);
  const anyById = db.statement(`${columns} where id = ?`);
  const anyByHandle = db.statement(`${columns} where handle = ? ${newestFirst}`);
  const last = db.statement(`${columns} ${newestFirst}`);
  const highest = db.statement("select max(handle) as handle from tool_overflow where scope = ? and handle is not null");
  const isOld = db.statement("select 1 from tool_overflow where created_at < ? limit 1");
  const forget = db.statement(
    `delete from tool_overflow where rowid in (select rowid from tool_overflow where created_at < ? order by created_at limit ${BATCH})`,
    PATIENCE_MS,
  );

  return {
    async put({ owner, text, handle = null }) {
      const id = randomUUID();
      const conversation = "conversation" in owner ? owner.conversation : null;
      const body = Buffer.from(text, "utf8");
      await unlessLocked(() => insert.run(id, scopeOf(owner), conversation, handle, body, text.length, Date.now()));
      return id;
    },
    async get(owner, id) {
      const handle = handleOf(id);
      const scope = scopeOf(owner);
      return kept(handle === null ? byId.get(id.toLowerCase(), scope) : byHandle.get(handle, scope));
    },
    lastHandle: async (owner) => (highest.get(scopeOf(owner))?.handle as number | null) ?? 0,
    async find(id) {
      const handle = handleOf(id);
      return kept(handle === null ? anyById.get(id.toLowerCase()) : anyByHandle.get(handle));
    },
    newest: async () => kept(last.get()),
    async expire(before) {
      let gone = 0;
      // To look needs no lock; most starts find nothing to delete.
      while (isOld.get(before) !== undefined) {
        gone += await unlessLocked(() => forget.run(before));
        await setImmediate();
      }
      return gone;
    },
  };
}

/** The kind is part of it, so that no session can take a conversation's name. */
const scopeOf = (owner: Owner): string => ("conversation" in owner ? `conversation ${owner.conversation}` : `session ${owner.session}`);

function handleOf(id: string): number | null {
  const handle = /^raw#([1-9]\d{0,14})$/.exec(id);
  return handle && Number(handle[1]);
}

function kept(row: Record<string, unknown> | undefined): Kept | null {
  if (row === undefined) return null;
  const { buffer, byteOffset, byteLength } = row.body as Uint8Array<ArrayBuffer>;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return { id: row.id as string, handle: row.handle as number | null, text, createdAt: row.created_at as number };
}

async function unlessLocked<T>(work: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || tries === TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

import { randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Kept, Overflow } from "../core/ports/store.ts";
import { overflowHandle, overflowParts, overflowScope, overflowText, WHOLE_ID_LENGTH } from "./overflow-row.ts";
import { isLocked } from "./sqlite/error.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/** SQLite waits with the whole process standing still, so it waits briefly and we wait for the rest. */
const PATIENCE_MS = 20;
const PAUSE_MS = 25;
const TRIES = 100;
/** Deleted in one transaction: texts may be large, what is deleted is overwritten, and others want to go on. */
const BATCH = { texts: 50, bytes: 1024 * 1024 };

/** A command that is over at once would otherwise never come to the end of what there is to delete. */
const LONGEST_AT_CLOSE_MS = 1500;

/** Fixed statements: a text is kept with many a command, and Kysely is not loaded for that. */
export function createOverflow(db: Sqlite): Overflow & { finishExpiry(): void } {
  const insert = db.statement(
    "insert into tool_overflow (id, scope, conversation_id, handle, body, size, created_at) values (?, ?, ?, ?, ?, ?, ?)",
    PATIENCE_MS,
  );
  const columns = "select id, handle, body, size, created_at from tool_overflow";
  const newestFirst = "order by created_at desc, rowid desc limit 1";
  const byId = db.statement(`${columns} where id = ? and scope = ?`);
  const byHandle = db.statement(`${columns} where handle = ? and scope = ? ${newestFirst}`);
  const anyById = db.statement(`${columns} where id = ?`);
  const anyByHandle = db.statement(`${columns} where handle = ? ${newestFirst}`);
  const last = db.statement(`${columns} where length(id) = ${WHOLE_ID_LENGTH} ${newestFirst}`);
  const highest = db.statement("select max(handle) as handle from tool_overflow where scope = ? and handle is not null");
  const old = db.statement(`select id, size from tool_overflow where created_at < ? order by created_at limit ${BATCH.texts}`);
  const forget = db.statement(
    "delete from tool_overflow where rowid in (select rowid from tool_overflow where created_at < ? order by created_at limit ?)",
    PATIENCE_MS,
  );

  /** Texts from before this are being deleted. */
  let expiring: number | null = null;

  /** A long text, put together from its parts. */
  const whole = async (row: Record<string, unknown> | undefined): Promise<Kept | null> => {
    if (row === undefined) return null;
    const parts = [overflowText(row)];
    for (let length = parts[0]!.length; length < (row.size as number); length += parts.at(-1)!.length) {
      const next = anyById.get(`${row.id}.${parts.length}`);
      // Its end was deleted a moment ago, because it is old; so is the rest.
      if (next === undefined) return null;
      parts.push(overflowText(next));
      await setImmediate();
    }
    return { id: row.id as string, handle: row.handle as number | null, text: parts.join(""), createdAt: row.created_at as number };
  };

  return {
    async put({ owner, text, handle = null }) {
      const id = randomUUID();
      const conversation = "conversation" in owner ? owner.conversation : null;
      const now = Date.now();
      const keep = (as: string, part: string, number: number | null, size: number) =>
        unlessLocked(() => insert.run(as, overflowScope(owner), conversation, number, Buffer.from(part, "utf8"), size, now));
      const [first = "", ...parts] = overflowParts(text);
      // The first part last: a text is there when all of it is.
      for (const [n, part] of parts.entries()) {
        await keep(`${id}.${n + 1}`, part, null, part.length);
        await setImmediate();
      }
      await keep(id, first, handle, text.length);
      return id;
    },
    async get(owner, id) {
      const handle = overflowHandle(id);
      const scope = overflowScope(owner);
      return whole(handle === null ? byId.get(id.toLowerCase(), scope) : byHandle.get(handle, scope));
    },
    lastHandle: async (owner) => (highest.get(overflowScope(owner))?.handle as number | null) ?? 0,
    async find(id) {
      const handle = overflowHandle(id);
      return whole(handle === null ? anyById.get(id.toLowerCase()) : anyByHandle.get(handle));
    },
    newest: async () => whole(last.get()),
    async expire(before) {
      let gone = 0;
      expiring = before;
      // To look needs no lock; most starts find nothing to delete.
      for (let rows = old.all(before); rows.length > 0; rows = old.all(before)) {
        const some = countUpTo(rows, BATCH.bytes);
        await unlessLocked(() => forget.run(before, some));
        gone += rows.slice(0, some).filter(({ id }) => (id as string).length === WHOLE_ID_LENGTH).length;
        await setImmediate();
      }
      expiring = null;
      // Also what an earlier process left.
      while (db.reclaim()) await setImmediate();
      return gone;
    },
    finishExpiry() {
      const deadline = Date.now() + LONGEST_AT_CLOSE_MS;
      try {
        while (expiring !== null && Date.now() < deadline && forget.run(expiring, 1) > 0);
      } catch {
        // Another process writes. The next start goes on.
      }
    },
  };
}

/** How many of the first rows have no more than this together; one at least. */
function countUpTo(rows: readonly Record<string, unknown>[], bytes: number): number {
  let count = 0;
  for (let sum = 0; count < rows.length; count++) {
    sum += Number(rows[count]!.size);
    if (sum > bytes) break;
  }
  return Math.max(1, count);
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

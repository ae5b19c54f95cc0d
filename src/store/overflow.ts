import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Kept, KeptText, Overflow } from "../core/ports/printed/overflow.ts";
import {
  includesText,
  keptRow,
  MOST_SEARCHED,
  overflowHandle,
  overflowParts,
  overflowScope,
  overflowText,
  WHOLE_ID_LENGTH,
} from "./overflow-row.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { PATIENCE_MS, unlessLocked } from "./sqlite/unless-locked.ts";

/** Deleted in one transaction: texts may be large, what is deleted is overwritten, and others want to go on. */
const BATCH = { texts: 50, bytes: 1024 * 1024 };

/** A command that is over at once would otherwise never come to the end of what there is to delete. */
const LONGEST_AT_CLOSE_MS = 1500;

/** Fixed statements: a text is kept with many a command, and Kysely is not loaded for that. */
export function createOverflow(db: Sqlite): Overflow & { finishExpiry(): void } {
  const insert = db.statement(
    "insert into tool_overflow (id, scope, conversation_id, handle, body, size, created_at, call_id) values (?, ?, ?, ?, ?, ?, ?, ?)",
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

  const listed = db.statement(
    `select id, handle, size, created_at, call_id, conversation_id from tool_overflow
     where length(id) = ${WHOLE_ID_LENGTH} and id = coalesce(?, id) and coalesce(call_id, '') = coalesce(?, call_id, '') order by created_at desc, rowid desc limit ?`,
  );
  const sums = db.statement(
    `select count(*) as texts, coalesce(sum(size), 0) as chars from tool_overflow where length(id) = ${WHOLE_ID_LENGTH}`,
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
    async put({ owner, text, handle = null, callId = null }) {
      const id = randomUUID();
      const conversation = "conversation" in owner ? owner.conversation : null;
      const now = Date.now();
      const keep = (as: string, part: string, number: number | null, size: number, of: string | null = null) =>
        unlessLocked(() => insert.run(as, overflowScope(owner), conversation, number, Buffer.from(part, "utf8"), size, now, of));
      const [first = "", ...parts] = overflowParts(text);
      // The first part last: a text is there when all of it is.
      for (const [n, part] of parts.entries()) {
        await keep(`${id}.${n + 1}`, part, null, part.length);
        await setImmediate();
      }
      await keep(id, first, handle, text.length, callId);
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
    list: async ({ id = null, text = "", callId = null, limit }) => {
      if (text === "") return listed.all(id, callId, limit).map(keptRow);
      const found: KeptText[] = [];
      // A text at a time: together they may be larger than memory.
      for (const row of listed.all(id, callId, MOST_SEARCHED)) {
        if (found.length === limit) break;
        const kept = await whole(anyById.get(row.id));
        if (kept && includesText(kept.text, text)) found.push(keptRow(row));
        await setImmediate();
      }
      return found;
    },
    totals: async () => sums.get() as { texts: number; chars: number },
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

import { randomUUID } from "node:crypto";
import { ConversationError } from "../../../core/ports/conversation-error.ts";
import type { Kept, KeptText, Overflow } from "../../../core/ports/printed/overflow.ts";
import {
  includesText,
  keptRow,
  MOST_SEARCHED,
  overflowHandle,
  overflowParts,
  overflowScope,
  overflowText,
  WHOLE_ID_LENGTH,
} from "../../overflow-row.ts";
import { isOrphan } from "../error.ts";
import type { PgRow, Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";

/** Texts deleted in one statement. */
const BATCH = 200;

export function createSharedOverflow(db: Transactions, fence: FenceNow): Overflow {
  const writes = createFencedWrites(db, fence, "soon");
  const columns = "select id, handle, body, size, created_at from tool_overflow";
  const newestFirst = "order by created_at desc, n desc limit 1";

  /** A long text, put together from its parts. */
  const whole = async (row: PgRow | undefined): Promise<Kept | null> => {
    if (row === undefined) return null;
    const parts = [overflowText(row)];
    for (let length = parts[0]!.length; length < row.size; length += parts.at(-1)!.length) {
      const next = await db.one(`${columns} where id = ?`, `${row.id}.${parts.length}`);
      // Its end was deleted a moment ago, because it is old; so is the rest.
      if (next === undefined) return null;
      parts.push(overflowText(next));
    }
    return { id: row.id, handle: row.handle, text: parts.join(""), createdAt: row.created_at };
  };

  return {
    async put({ owner, text, handle = null, callId = null }) {
      const id = randomUUID();
      const conversation = "conversation" in owner ? owner.conversation : null;
      const now = Date.now();
      const keep = (as: string, part: string, number: number | null, size: number, of: string | null = null) =>
        writes.run(
          `insert into tool_overflow (id, scope, conversation_id, handle, body, size, created_at, call_id) select ?, ?, ?, ?, ?, ?, ?, ? from fence
           on conflict (tenant, id) do nothing`,
          as,
          overflowScope(owner),
          conversation,
          number,
          Buffer.from(part, "utf8"),
          size,
          now,
          of,
        );
      const [first = "", ...parts] = overflowParts(text);
      try {
        // The first part last: a text is there when all of it is.
        for (const [n, part] of parts.entries()) await keep(`${id}.${n + 1}`, part, null, part.length);
        await keep(id, first, handle, text.length, callId);
      } catch (error) {
        if (!isOrphan(error)) throw error;
        throw new ConversationError(`There is no conversation ${conversation}. It may have been deleted; start a new one.`, {
          cause: error,
        });
      }
      return id;
    },
    async get(owner, id) {
      const handle = overflowHandle(id);
      const scope = overflowScope(owner);
      return whole(
        handle === null
          ? await db.one(`${columns} where id = ? and scope = ?`, id.toLowerCase(), scope)
          : await db.one(`${columns} where handle = ? and scope = ? ${newestFirst}`, handle, scope),
      );
    },
    lastHandle: async (owner) =>
      (await db.one("select max(handle) as handle from tool_overflow where scope = ? and handle is not null", overflowScope(owner)))
        ?.handle ?? 0,
    async find(id) {
      const handle = overflowHandle(id);
      return whole(
        handle === null
          ? await db.one(`${columns} where id = ?`, id.toLowerCase())
          : await db.one(`${columns} where handle = ? ${newestFirst}`, handle),
      );
    },
    newest: async () => whole(await db.one(`${columns} where length(id) = ${WHOLE_ID_LENGTH} ${newestFirst}`)),
    async list({ id = null, text = "", callId = null, limit }) {
      const rows = (most: number) =>
        db.all(
          `select id, handle, size, created_at, call_id, conversation_id from tool_overflow
           where length(id) = ${WHOLE_ID_LENGTH} and (?1::text is null or id = ?1) and (?2::text is null or call_id = ?2) order by created_at desc, n desc limit ?3`,
          id,
          callId,
          most,
        );
      if (text === "") return (await rows(limit)).map(keptRow);
      const found: KeptText[] = [];
      // A text at a time: together they may be larger than memory.
      for (const row of await rows(MOST_SEARCHED)) {
        if (found.length === limit) break;
        const kept = await whole(await db.one(`${columns} where id = ?`, row.id));
        if (kept && includesText(kept.text, text)) found.push(keptRow(row));
      }
      return found;
    },
    totals: async () =>
      (await db.one<{ texts: number; chars: number }>(
        `select count(*) as texts, coalesce(sum(size), 0)::bigint as chars from tool_overflow where length(id) = ${WHOLE_ID_LENGTH}`,
      ))!,
    async expire(before) {
      for (let gone = 0; ; ) {
        const some = await db.one<{ texts: number; parts: number }>(
          `with gone as (delete from tool_overflow where id in (
             select id from tool_overflow where created_at < ? order by created_at limit ${BATCH} for update skip locked) returning id)
           select count(*) filter (where length(id) = ${WHOLE_ID_LENGTH}) as texts, count(*) as parts from gone`,
          Math.trunc(before),
        );
        gone += some!.texts;
        if (some!.parts === 0) return gone;
      }
    },
  };
}

import { randomUUID } from "node:crypto";
import { ConversationError } from "../../../core/ports/conversation-error.ts";
import type { Conversations } from "../../../core/ports/store.ts";
import { storedConversation } from "../../conversations.ts";
import type { MessageRow } from "../../message-pieces.ts";
import type { Tables } from "../../sqlite/tables.ts";
import { count, risingClock } from "../../sqlite/values.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";
import { createSharedPieces } from "./message-pieces.ts";
import { foldedText, saidIn } from "./words.ts";

type Row = Tables["conversations"];

// One statement, so one round trip and one commit. The update takes the row first, so that two writers never choose the same position.
const APPEND = `, moved as (
    update conversations set last_position = last_position + ?2::integer, updated_at = greatest(updated_at + 1, ?3::bigint), last_write = ?4,
      counted_tokens = coalesce(?5::bigint, counted_tokens), counted_position = coalesce(?6::integer, counted_position)
    where id = ?1 and (?7::integer is null or last_position = ?7::integer) and last_write is distinct from ?4 and exists (select 1 from fence)
    returning last_position, last_position - ?2::integer as before, workspace),
  kept as (
    insert into messages (conversation_id, position, body, pieces, created_at)
    select ?1, before + place, body, pieces, ?3::bigint
    from moved, unnest(?8::text[], ?9::text[]) with ordinality as given (body, pieces, place)),
  heard as (
    insert into said (conversation_id, position, role, text, created_at, words)
    select ?1, before + place, role, text, ?3::bigint, words_of(folded, workspace)
    from moved, unnest(?10::integer[], ?11::text[], ?12::text[], ?13::text[]) as given (place, role, text, folded))
  select last_position from moved`;

export function createSharedConversations(db: Transactions, fence: FenceNow): Conversations {
  const now = risingClock();
  const writes = createFencedWrites(db, fence);
  const pieces = createSharedPieces(db, writes);

  const lastWrite = (id: string) =>
    db.one<{ last_position: number; last_write: string | null }>("select last_position, last_write from conversations where id = ?", id);
  const write = async (id: string, messages: Parameters<Conversations["append"]>[1], rows: readonly MessageRow[], from: Begun) => {
    const said = messages.flatMap((message, index) => {
      const text = saidIn(message);
      return text === null ? [] : [{ place: index + 1, role: message.role, text }];
    });
    const key = randomUUID();
    const [moved] = await writes.all<{ last_position: number }>(
      APPEND,
      id,
      messages.length,
      now(),
      key,
      from?.counted.tokens ?? null,
      from?.counted.position ?? null,
      from?.after ?? null,
      rows.map((row) => row.body),
      rows.map((row) => row.pieces),
      said.map(({ place }) => place),
      said.map(({ role }) => role),
      said.map(({ text }) => text),
      said.map(({ text }) => foldedText(text)),
    );
    if (moved) return moved.last_position;
    const found = await lastWrite(id);
    if (!found) throw new ConversationError(`There is no conversation ${id}. It may have been deleted; start a new one.`);
    // It was written, and the answer was lost with the connection.
    if (found.last_write === key) return found.last_position;
    throw new ConversationError(
      `Another process has gone on with the conversation ${id}. To see what was said, leave and continue it again (zeph --continue ${id}); or begin a new one with /clear.`,
    );
  };

  return {
    async create(workspace, title, id = randomUUID()) {
      const at = now();
      // Asked again after the answer was lost, it finds itself.
      const [row] = await writes.all<Row>(
        `insert into conversations as c (id, workspace, title, created_at, updated_at) select ?, ?, ?, ?, ? from fence
         on conflict (tenant, id) do update set title = excluded.title
         where c.created_at = excluded.created_at and c.title = excluded.title and c.workspace = excluded.workspace returning *`,
        id,
        workspace,
        title,
        at,
        at,
      );
      if (!row) throw new ConversationError(`There is a conversation ${id} already.`);
      return storedConversation(row);
    },

    async get(id) {
      const row = await db.one<Row>("select * from conversations where id = ?", id);
      return row ? storedConversation(row) : null;
    },

    async list({ workspace, limit }) {
      const lastFirst = "order by updated_at desc, id desc limit ?";
      const found =
        workspace === undefined
          ? await db.all<Row>(`select * from conversations ${lastFirst}`, count(limit))
          : await db.all<Row>(`select * from conversations where workspace = ? ${lastFirst}`, workspace, count(limit));
      return found.map(storedConversation);
    },

    async append(id, messages, from) {
      const rows = await pieces.write(id, messages);
      try {
        return await write(id, messages, rows, from);
      } catch (error) {
        await pieces.discard(rows);
        throw error;
      }
    },

    async messages(id, { after, limit }) {
      const found = await db.all<MessageRow & { position: number }>(
        "select position, body, pieces from messages where conversation_id = ? and position > ? order by position limit ?",
        id,
        after,
        count(limit),
      );
      return Promise.all(found.map(async ({ position, ...row }) => ({ position, message: await pieces.read(row) })));
    },

    startWindow: async (id, { start, elidedUntil, counted }) =>
      void (await writes.run(
        `update conversations set window_start = ?, elided_until = ?, counted_tokens = ?, counted_position = ?
         where id = ? and exists (select 1 from fence)`,
        start,
        elidedUntil,
        counted.tokens,
        counted.position,
        id,
      )),

    mark: async (id, { untrusted, skill }) =>
      void (await writes.run(
        `update conversations set seen_untrusted = greatest(seen_untrusted, ?::integer),
           seen_skill = coalesce(?, seen_skill), seen_skill_trust = coalesce(?, seen_skill_trust)
         where id = ? and exists (select 1 from fence)`,
        untrusted ? 1 : 0,
        skill?.name ?? null,
        skill?.trust ?? null,
        id,
      )),

    delete: async (id) => (await writes.run("delete from conversations where id = ? and exists (select 1 from fence)", id)) > 0,
  };
}

type Begun = Parameters<Conversations["append"]>[2];

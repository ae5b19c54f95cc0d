import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/ports/conversation-error.ts";
import type { Conversation, Conversations } from "../core/ports/store.ts";
import { createMessagePieces, type MessageRow } from "./message-pieces.ts";
import { erase } from "./sqlite/erase.ts";
import { withIndexRepair } from "./sqlite/index-repair.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import type { Tables } from "./sqlite/tables.ts";
import { rows } from "./sqlite/transaction.ts";
import { boundOf, count, risingClock } from "./sqlite/values.ts";

export function createConversations(db: Sqlite): Conversations {
  const now = risingClock();
  // What every turn reads and writes is fixed text: built queries would be built anew each time, and Kysely read for the first of them.
  const create = db.statement(
    `insert into conversations (id, workspace, title, created_at, updated_at, last_position, window_start, elided_until,
       counted_tokens, counted_position, seen_untrusted, seen_skill, seen_skill_trust) values (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, null, null)`,
  );
  const byId = db.statement<Tables["conversations"]>("select * from conversations where id = ?");
  const after = db.statement<Pick<Tables["messages"], "position" | "body" | "pieces">>(
    "select position, body, pieces from messages where conversation_id = ? and position > ? order by position limit ?",
  );
  const window = db.statement(
    "update conversations set window_start = ?, elided_until = ?, counted_tokens = ?, counted_position = ? where id = ?",
  );
  const move = db.statement(
    `update conversations set last_position = last_position + ?, updated_at = ?,
       counted_tokens = coalesce(?, counted_tokens), counted_position = coalesce(?, counted_position)
     where id = ? returning last_position`,
  );
  const insert = db.statement("insert into messages (conversation_id, position, body, pieces, created_at) values (?, ?, ?, ?, ?)");
  const remove = db.statement("delete from conversations where id = ?");
  const mark = db.statement(
    `update conversations set seen_untrusted = max(seen_untrusted, ?),
       seen_skill = coalesce(?, seen_skill), seen_skill_trust = coalesce(?, seen_skill_trust) where id = ?`,
  );
  // What is said is indexed with it.
  const changed = <T>(work: () => T): T => withIndexRepair(db, "said_words", () => db.together(work));
  const pieces = createMessagePieces(db);
  const orDiscard = <T>(written: readonly MessageRow[], work: () => T): T => {
    try {
      return changed(work);
    } catch (error) {
      pieces.discard(written);
      throw error;
    }
  };
  return {
    async create(workspace, title, id = randomUUID()) {
      const at = now();
      create.run(id, workspace, title, at, at);
      return storedConversation(byId.get(id)!);
    },

    async get(id) {
      const row = byId.get(id);
      return row ? storedConversation(row) : null;
    },

    list: ({ workspace, limit }) =>
      db.read(function* (build) {
        const all = build.selectFrom("conversations").selectAll();
        const chosen = workspace === undefined ? all : all.where("workspace", "=", workspace);
        const found = yield* rows(chosen.orderBy("updated_at", "desc").orderBy("id", "desc").limit(count(limit)));
        return found.map(storedConversation);
      }),

    async append(id, messages, from) {
      const written = await pieces.write(id, messages);
      return orDiscard(written, () => {
        const at = now();
        // The counter is moved first: it takes the row, so that two writers never choose the same position.
        const last = move.get(messages.length, at, from?.counted.tokens ?? null, from?.counted.position ?? null, id)?.last_position as
          | number
          | undefined;
        if (last === undefined) throw new ConversationError(`There is no conversation ${id}. It may have been deleted; start a new one.`);
        const before = last - messages.length;
        if (from !== undefined && before !== from.after)
          throw new ConversationError(
            `Another process has gone on with the conversation ${id}. To see what was said, leave and continue it again (zeph --continue ${id}); or begin a new one with /clear.`,
          );
        for (const [index, row] of written.entries()) insert.run(id, before + index + 1, row.body, row.pieces, at);
        return last;
      });
    },

    messages: async (id, { after: position, limit }) =>
      Promise.all(
        after.all(id, position, count(limit)).map(async ({ position: at, ...row }) => ({ position: at, message: await pieces.read(row) })),
      ),

    async startWindow(id, { start, elidedUntil, counted }) {
      window.run(start, elidedUntil, counted.tokens, counted.position, id);
    },

    mark: async (id, { untrusted, skill }) => void mark.run(untrusted, skill?.name ?? null, skill?.trust ?? null, id),

    async delete(id) {
      const isGone = changed(() => remove.run(id) > 0);
      if (isGone) erase(db);
      return isGone;
    },
  };
}

export const storedConversation = (row: Tables["conversations"]): Conversation => ({
  id: row.id,
  workspace: row.workspace,
  title: row.title,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  length: row.last_position,
  windowStart: row.window_start,
  elidedUntil: row.elided_until,
  counted: { tokens: row.counted_tokens, position: row.counted_position },
  seen: { untrusted: row.seen_untrusted !== 0, ...(row.seen_skill !== null && { skill: boundOf(row.seen_skill, row.seen_skill_trust) }) },
});

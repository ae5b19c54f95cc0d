import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/ports/conversation-error.ts";
import type { Message } from "../core/ports/model.ts";
import type { Conversation, Conversations } from "../core/ports/store.ts";
import { erase } from "./sqlite/erase.ts";
import { withIndexRepair } from "./sqlite/index-repair.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import type { Tables } from "./sqlite/tables.ts";
import { rows } from "./sqlite/transaction.ts";
import { boundOf, count, risingClock } from "./sqlite/values.ts";

export function createConversations(db: Sqlite): Conversations {
  const now = risingClock();
  // Written with every answer and every result, so not built anew each time.
  const move = db.statement(
    `update conversations set last_position = last_position + ?, updated_at = ?,
       counted_tokens = coalesce(?, counted_tokens), counted_position = coalesce(?, counted_position)
     where id = ? returning last_position`,
  );
  const insert = db.statement("insert into messages (conversation_id, position, body, created_at) values (?, ?, ?, ?)");
  const remove = db.statement("delete from conversations where id = ?");
  const mark = db.statement(
    `update conversations set seen_untrusted = max(seen_untrusted, ?),
       seen_skill = coalesce(?, seen_skill), seen_skill_trust = coalesce(?, seen_skill_trust) where id = ?`,
  );
  // What is said is indexed with it.
  const changed = <T>(work: () => T): T => withIndexRepair(db, "said_words", () => db.together(work));
  return {
    async create(workspace, title, id = randomUUID()) {
      const at = now();
      const row = {
        id,
        workspace,
        title,
        created_at: at,
        updated_at: at,
        last_position: 0,
        window_start: 0,
        elided_until: 0,
        counted_tokens: 0,
        counted_position: 0,
        seen_untrusted: 0,
        seen_skill: null,
        seen_skill_trust: null,
      };
      await db.write(function* (build) {
        yield* rows(build.insertInto("conversations").values(row));
      });
      return conversation(row);
    },

    get: (id) =>
      db.read(function* (build) {
        const [row] = yield* rows(build.selectFrom("conversations").selectAll().where("id", "=", id));
        return row ? conversation(row) : null;
      }),

    list: ({ workspace, limit }) =>
      db.read(function* (build) {
        const all = build.selectFrom("conversations").selectAll();
        const chosen = workspace === undefined ? all : all.where("workspace", "=", workspace);
        const found = yield* rows(chosen.orderBy("updated_at", "desc").orderBy("id", "desc").limit(count(limit)));
        return found.map(conversation);
      }),

    append: async (id, messages, from) =>
      changed(() => {
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
        for (const [index, message] of messages.entries()) insert.run(id, before + index + 1, JSON.stringify(message), at);
        return last;
      }),

    messages: (id, { after, limit }) =>
      db.read(function* (build) {
        const found = yield* rows(
          build
            .selectFrom("messages")
            .select(["position", "body"])
            .where("conversation_id", "=", id)
            .where("position", ">", after)
            .orderBy("position")
            .limit(count(limit)),
        );
        return found.map(({ position, body }) => ({ position, message: JSON.parse(body) as Message }));
      }),

    startWindow: (id, { start, elidedUntil, counted }) =>
      db.write(function* (build) {
        yield* rows(
          build
            .updateTable("conversations")
            .set({ window_start: start, elided_until: elidedUntil, counted_tokens: counted.tokens, counted_position: counted.position })
            .where("id", "=", id),
        );
      }),

    mark: async (id, { untrusted, skill }) => void mark.run(untrusted, skill?.name ?? null, skill?.trust ?? null, id),

    async delete(id) {
      const isGone = changed(() => remove.run(id) > 0);
      if (isGone) erase(db);
      return isGone;
    },
  };
}

const conversation = (row: Tables["conversations"]): Conversation => ({
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

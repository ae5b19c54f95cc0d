import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/conversation-error.ts";
import type { CompactionMethod, Summaries } from "../core/store.ts";
import type { Sqlite } from "./sqlite.ts";
import { risingClock, storable } from "./values.ts";

/** They are added, and go with their conversation. */
export function summaries(db: Sqlite): Summaries {
  const now = risingClock();
  const exists = db.statement("select 1 from conversations where id = ?");
  const insert = db.statement(
    "insert into summaries (id, conversation_id, until_position, text, opening, compaction_method, created_at) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const all = db.statement("select * from summaries where conversation_id = ? order by n");
  return {
    async add({ conversation, until, text, opening, method }) {
      const made = { id: randomUUID(), conversation, until, text: storable(text), opening: storable(opening), method, createdAt: now() };
      db.together(() => {
        if (!exists.get(conversation))
          throw new ConversationError(`There is no conversation ${conversation}. It may have been deleted; start a new one.`);
        insert.run(made.id, conversation, until, made.text, made.opening, method, made.createdAt);
      });
      return made;
    },
    of: async (conversation) =>
      all.all(conversation).map((row) => ({
        id: row.id as string,
        conversation,
        until: row.until_position as number,
        text: row.text as string,
        opening: row.opening as string,
        method: row.compaction_method as CompactionMethod,
        createdAt: row.created_at as number,
      })),
  };
}

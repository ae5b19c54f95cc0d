import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/ports/conversation-error.ts";
import type { CompactionMethod, Summaries, Summary } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { momentIn, risingClock, storable, wholeIn } from "./sqlite/values.ts";

/** Longer than any summary; what is longer is none of ours. */
const MOST_BYTES = 4_000_000;
const textIn = (column: string) => `case when octet_length(${column}) <= ${MOST_BYTES} then ${column} end`;

/** They are added, and go with their conversation. One that is damaged is left out. */
export function createSummaries(db: Sqlite): Summaries {
  const now = risingClock();
  const exists = db.statement("select 1 from conversations where id = ?");
  const insert = db.statement(
    "insert into summaries (id, conversation_id, until_position, text, opening, compaction_method, created_at) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const all = db.statement(
    `select id, ${wholeIn("until_position")} as until_position, ${textIn("text")} as text, ${textIn("opening")} as opening,
       compaction_method, ${momentIn("created_at")} as created_at
     from summaries where conversation_id = ? order by n`,
  );
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
      all
        .all(conversation)
        .map((row) => storedSummary(conversation, row))
        .filter((one) => one !== null),
  };
}

const METHODS: readonly unknown[] = ["triggered", "manual", "autonomous"] satisfies readonly CompactionMethod[];

/** Null for a row that is damaged. */
export function storedSummary(conversation: string, row: Record<string, unknown>): Summary | null {
  const { id, until_position: until, text, opening, compaction_method: method, created_at: createdAt } = row;
  if (typeof id !== "string" || typeof text !== "string" || typeof opening !== "string" || !METHODS.includes(method)) return null;
  if (typeof until !== "number" || typeof createdAt !== "number") return null;
  return { id, conversation, until, text, opening, method: method as CompactionMethod, createdAt };
}

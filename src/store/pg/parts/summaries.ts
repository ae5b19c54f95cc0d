import { randomUUID } from "node:crypto";
import { ConversationError } from "../../../core/ports/conversation-error.ts";
import type { Summaries } from "../../../core/ports/store.ts";
import { risingClock, storable } from "../../sqlite/values.ts";
import { storedSummary } from "../../summaries.ts";
import { isOrphan } from "../error.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";

export function createSharedSummaries(db: Transactions, fence: FenceNow): Summaries {
  const now = risingClock();
  const writes = createFencedWrites(db, fence);
  return {
    async add({ conversation, until, text, opening, method }) {
      const made = { id: randomUUID(), conversation, until, text: storable(text), opening: storable(opening), method, createdAt: now() };
      try {
        await writes.run(
          `insert into summaries (id, conversation_id, until_position, text, opening, compaction_method, created_at)
           select ?, ?, ?, ?, ?, ?, ? from fence on conflict (tenant, id) do nothing`,
          made.id,
          conversation,
          until,
          made.text,
          made.opening,
          method,
          made.createdAt,
        );
      } catch (error) {
        if (!isOrphan(error)) throw error;
        throw new ConversationError(`There is no conversation ${conversation}. It may have been deleted; start a new one.`, {
          cause: error,
        });
      }
      return made;
    },
    of: async (conversation) =>
      (
        await db.all(
          "select id, until_position, text, opening, compaction_method, created_at from summaries where conversation_id = ? order by n",
          conversation,
        )
      )
        .map((row) => storedSummary(conversation, row))
        .filter((one) => one !== null),
  };
}

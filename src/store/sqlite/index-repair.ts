import { isDamaged } from "./error.ts";
import type { Sqlite } from "./sqlite.ts";

/**
 * An index can be made anew from the table it is over, so a damaged one is no reason to lose the work that met it.
 * The work is done again from its beginning, so it must be one transaction, or only read.
 */
export function withIndexRepair<T>(db: Sqlite, index: "memory_words" | "said_words", work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    db.statement(`insert into ${index} (${index}) values ('rebuild')`).run();
    return work();
  }
}

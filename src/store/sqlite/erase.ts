import { attempt } from "../../text/attempt.ts";
import type { Sqlite } from "./sqlite.ts";

/** Others may be reading. Then it is done by whoever deletes next, or when the log of changes is full. */
const PATIENCE_MS = 50;

/** What was deleted still stands in the log of changes beside the file. This carries the deletion over into the file and empties the log. */
export function erase(db: Sqlite): void {
  // Where that fails, it is deleted all the same.
  attempt(() => db.statement("pragma wal_checkpoint(truncate)", PATIENCE_MS).run(), 0);
}

import type { Anchor, Anchors } from "../../core/ports/store.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";

/** A call waits while its anchor is written, and the process with it. A locked store can be told later: the line is in the file. */
const PATIENCE_MS = 250;

/** Fixed statements: an anchor is written with every audit line. */
export function createAnchors(db: Sqlite): Anchors {
  const get = db.statement<Anchor>("select count, hash, size from anchors where file = ?");
  const update = db.statement("update anchors set count = ?, hash = ?, size = ? where file = ?", PATIENCE_MS);
  const insert = db.statement(
    "insert into anchors (file, count, hash, size) values (?, ?, ?, ?) on conflict (file) do update set count = excluded.count, hash = excluded.hash, size = excluded.size",
    PATIENCE_MS,
  );
  const files = db.statement<{ file: string }>("select file from anchors order by file");
  return {
    get: (file) => get.get(file) ?? null,
    set: (file, { count, hash, size }) => {
      if (update.run(count, hash, size, file) === 0) insert.run(file, count, hash, size);
    },
    files: () => files.all().map(({ file }) => file),
  };
}

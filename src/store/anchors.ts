import type { Anchors } from "../core/store.ts";
import type { Sqlite } from "./sqlite.ts";

/** Fixed statements: an anchor is written with every audit line. */
export function anchors(db: Sqlite): Anchors {
  const get = db.statement("select count, hash, size from anchors where file = ?");
  const update = db.statement("update anchors set count = ?, hash = ?, size = ? where file = ?");
  const insert = db.statement(
    "insert into anchors (file, count, hash, size) values (?, ?, ?, ?) on conflict (file) do update set count = excluded.count, hash = excluded.hash, size = excluded.size",
  );
  const files = db.statement("select file from anchors order by file");
  return {
    get: (file) => {
      const row = get.get(file);
      return row ? { count: row.count as number, hash: row.hash as string, size: row.size as number } : null;
    },
    set: (file, { count, hash, size }) => {
      if (update.run(count, hash, size, file) === 0) insert.run(file, count, hash, size);
    },
    files: () => files.all().map((row) => row.file as string),
  };
}

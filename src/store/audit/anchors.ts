import type { Anchor, Anchors } from "../../core/ports/anchors.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";

/** A call waits while its anchor is written, and the process with it. A locked store can be told later: the line is in the file. */
const PATIENCE_MS = 250;

/** Fixed statements: an anchor is written with every audit line. */
export function createAnchors(db: Sqlite): Anchors {
  const get = db.statement<Omit<Anchor, "announced"> & { announced: string | null }>(
    "select count, hash, size, announced from anchors where file = ?",
  );
  const update = db.statement("update anchors set count = ?, hash = ?, size = ?, announced = null where file = ?", PATIENCE_MS);
  const announce = db.statement("update anchors set announced = ? where file = ?", PATIENCE_MS);
  const insert = db.statement(
    "insert into anchors (file, count, hash, size) values (?, ?, ?, ?) on conflict (file) do update set count = excluded.count, hash = excluded.hash, size = excluded.size, announced = null",
    PATIENCE_MS,
  );
  const files = db.statement<{ file: string }>("select file from anchors order by file");
  return {
    get: (file) => {
      const found = get.get(file);
      if (!found) return null;
      const { announced, ...anchor } = found;
      return announced === null ? anchor : { ...anchor, announced: announced.split(" ") };
    },
    announce: (file, hashes) => announce.run(hashes.join(" "), file) > 0,
    set: (file, { count, hash, size }) => {
      if (update.run(count, hash, size, file) === 0) insert.run(file, count, hash, size);
    },
    files: () => files.all().map(({ file }) => file),
  };
}

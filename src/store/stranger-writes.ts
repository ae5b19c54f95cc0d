import type { StrangerWrites } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/** A call waits for it, and the process with it. */
const PATIENCE_MS = 250;
/** Far more than anybody needs; beyond it the two oldest become one that covers both and what lies between. */
const MOST = 2000;

interface Span {
  readonly n: number;
  readonly began: number;
  readonly ended: number;
}

export function createStrangerWrites(db: Sqlite): StrangerWrites {
  const newest = db.statement<Span>("select n, began, ended from stranger_writes where workspace = ? order by n desc limit 1");
  const extend = db.statement("update stranger_writes set began = min(began, ?), ended = max(ended, ?) where n = ?", PATIENCE_MS);
  const insert = db.statement("insert into stranger_writes (workspace, began, ended) values (?, ?, ?)", PATIENCE_MS);
  const count = db.statement<{ number: number }>("select count(*) as number from stranger_writes where workspace = ?");
  const oldest = db.statement<Span>("select n, began, ended from stranger_writes where workspace = ? order by n limit 2");
  const remove = db.statement("delete from stranger_writes where n = ?", PATIENCE_MS);
  const covering = db.statement("select 1 as yes from stranger_writes where workspace = ? and began <= ? and ended >= ? limit 1");
  return {
    add(workspace, { from, until }) {
      const [began, ended] = [Math.floor(from), Math.ceil(until)];
      const last = newest.get(workspace);
      if (last && began <= last.ended && ended >= last.began) {
        extend.run(began, ended, last.n);
        return;
      }
      insert.run(workspace, began, ended);
      if (count.get(workspace)!.number <= MOST) return;
      const [first, second] = oldest.all(workspace);
      if (!first || !second) return;
      extend.run(first.began, first.ended, second.n);
      remove.run(first.n);
    },
    holds: (workspace, at) => covering.get(workspace, at, at) !== undefined,
  };
}

import type { TrustRecords } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

type TrustRow = Awaited<ReturnType<TrustRecords["list"]>>[number];

/** Fixed statements, not built queries: config asks for trust before anything else is loaded. */
export function createTrustRecords(db: Sqlite): TrustRecords {
  const get = db.statement<TrustRow>("select hash from trust where subject = ?");
  const set = db.statement(
    "insert into trust (subject, hash, since) values (?, ?, ?) on conflict (subject) do update set hash = excluded.hash, since = excluded.since",
  );
  const remove = db.statement("delete from trust where subject = ?");
  const list = db.statement<TrustRow>("select subject, hash, since from trust order by subject");
  return {
    get: (subject) => get.get(subject)?.hash ?? null,
    set: async (subject, hash) => void set.run(subject, hash, Date.now()),
    remove: async (subject) => remove.run(subject) > 0,
    list: async () => list.all(),
  };
}

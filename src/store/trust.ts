import type { TrustRecords } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/** Fixed statements, not built queries: config asks for trust before anything else is loaded. */
export function createTrustRecords(db: Sqlite): TrustRecords {
  const get = db.statement("select hash from trust where subject = ?");
  const set = db.statement(
    "insert into trust (subject, hash, since) values (?, ?, ?) on conflict (subject) do update set hash = excluded.hash, since = excluded.since",
  );
  const remove = db.statement("delete from trust where subject = ?");
  const list = db.statement("select subject, hash, since from trust order by subject");
  return {
    get: (subject) => (get.get(subject)?.hash as string | undefined) ?? null,
    set: async (subject, hash) => void set.run(subject, hash, Date.now()),
    remove: async (subject) => remove.run(subject) > 0,
    list: async () =>
      list.all().map(({ subject, hash, since }) => ({ subject: subject as string, hash: hash as string, since: since as number })),
  };
}

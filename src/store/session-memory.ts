import type { SessionChange, SessionMemory } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { PATIENCE_MS, unlessLocked } from "./sqlite/unless-locked.ts";

interface Head {
  readonly session: number;
  readonly version: number;
}

/** Fixed statements: the head is read before each call, and something is written with most of them. */
export function createSessionMemory(db: Sqlite): SessionMemory {
  const head = db.statement<Head>("select session, version from session_memory where workspace = ? and owner = ?");
  const items = db.statement<{ name: string; value: string }>("select name, value from session_items where session = ?");
  const raise = db.statement<Head>(
    `insert into session_memory (workspace, owner, version, written_at) values (?, ?, ?, ?)
     on conflict (workspace, owner) do update set version = max(version + 1, excluded.version), written_at = excluded.written_at
     returning session, version`,
  );
  const put = db.statement(
    "insert into session_items (session, name, value) values (?, ?, ?) on conflict (session, name) do update set value = excluded.value",
  );
  const remove = db.statement("delete from session_items where session = ? and name = ?");
  const expire = db.statement("delete from session_memory where written_at < ?", PATIENCE_MS);

  const writeOne = (change: SessionChange, at: number) => {
    // By the clock, so that what is written anew after it was forgotten has another version than before.
    const { session, version } = raise.get(change.workspace, change.owner, at, at)!;
    for (const name of change.remove) remove.run(session, name);
    for (const [name, value] of change.put) put.run(session, name, value);
    return version;
  };
  const isLate = ({ workspace, owner, after }: SessionChange): boolean =>
    after !== undefined && (head.get(workspace, owner)?.version ?? 0) !== after;
  return {
    read({ workspace, owner }, known) {
      const found = head.get(workspace, owner);
      if ((found?.version ?? 0) === known) return null;
      if (!found) return { version: 0, items: new Map() };
      return { version: found.version, items: new Map(items.all(found.session).map(({ name, value }) => [name, value])) };
    },
    write: (changes, at) =>
      unlessLocked(() =>
        db.together(() => (changes.some(isLate) ? null : changes.map((change) => writeOne(change, Math.trunc(at)))), PATIENCE_MS),
      ),
    expire: (before) => unlessLocked(() => expire.run(Math.trunc(before))),
  };
}

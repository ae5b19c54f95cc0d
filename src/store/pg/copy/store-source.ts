import { resolve } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { explainSqlite } from "../../sqlite/error.ts";
import { isCurrent } from "../../sqlite/migrations.ts";

export type SourceRow = Readonly<Record<string, unknown>>;

/** The rows of a SQLite file as they are at one moment. The file is read, never written, whatever version of Zeph it is from. */
export interface StoreSource {
  /** A table that this version did not have yet is empty. */
  count(table: string): number;
  /** In the order in which they were written. A column that this version did not have yet is missing. */
  rows(table: SourceTable): Iterable<SourceRow>;
  close(): void;
}

export interface SourceTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly source?: string;
}

export function openStoreSource(path: string): StoreSource {
  const file = resolve(path);
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    // What others write meanwhile is not seen.
    db.exec("begin");
    isCurrent(db, file);
    return createSource(db);
  } catch (error) {
    const explained = explainSqlite(file, error, db);
    if (db?.isOpen) db.close();
    throw explained;
  }
}

function createSource(db: DatabaseSyncInstance): StoreSource {
  const columnsOf = (table: string): ReadonlySet<string> =>
    new Set((db.prepare("select name from pragma_table_info(?)").all(table) as { name: string }[]).map(({ name }) => name));
  return {
    count: (table) => (columnsOf(table).size === 0 ? 0 : (db.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n),
    *rows({ name, columns, source }) {
      const there = columnsOf(name);
      if (there.size === 0) return;
      const chosen = Object.keys(columns).filter((column) => there.has(column));
      const statement = db.prepare(source ?? `select ${chosen.join(", ")} from ${name} order by rowid`);
      // A number that JavaScript does not know would end the reading.
      statement.setReadBigInts(true);
      for (const row of statement.iterate() as Iterable<SourceRow>) yield row;
    },
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}

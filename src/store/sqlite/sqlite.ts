import { closeSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import { makeFolder } from "../folder.ts";
import { explainSqlite, explainSystem, isBusy, StoreError } from "./error.ts";
import { isCurrent, migrate, type Schema, STORE_SCHEMA } from "./migrations.ts";
import { closeAndReclaim, prepareNew, reclaimStep, shrinkLog } from "./reclaim.ts";
import type { Tables } from "./tables.ts";
import type { Builder, Database, QuerySteps } from "./transaction.ts";

type Value = null | number | bigint | string | Uint8Array;

const RECLAIM_PATIENCE_MS = 20;

const BEGIN = { read: "begin", write: "begin immediate" } as const;

/** One SQLite file, or one that lives in memory. Opening is synchronous and cheap: Kysely is imported with the first query built by it. */
export interface Sqlite extends Database {
  /**
   * A statement of fixed text, kept compiled: for what is read or written too often, or too early, for a built query.
   * With a patience of its own when it cannot wait for a lock as long as others do.
   */
  statement<Row = Record<string, unknown>>(sql: string, patienceMs?: number): Statement<Row>;
  /** Statements that hold together: all of them or none. Without an await, for the reason `inTransaction` gives. */
  together<T>(work: () => T, patienceMs?: number): T;
  /** Gives a little of what was deleted back to the disk. True when there is more; false too when another process writes. */
  reclaim(): boolean;
  close(): void;
}
export interface Statement<Row = Record<string, unknown>> {
  get(...values: readonly unknown[]): Row | undefined;
  all(...values: readonly unknown[]): readonly Row[];
  /** How many rows changed. */
  run(...values: readonly unknown[]): number;
}

export function openSqlite(path: string | "memory", patienceMs = 5000, schema: Schema = STORE_SCHEMA): Sqlite {
  const file = path === "memory" ? ":memory:" : resolve(path);
  if (path !== "memory") makePrivate(file);
  const db = connect(file, patienceMs, schema);
  const prepared = new Map<string, StatementSyncInstance>();
  let builder: Promise<Builder> | null = null;

  const guarded = <T>(work: () => T): T => {
    if (!db.isOpen) throw new StoreError(file, `The store ${file} was closed. Open it again to use it.`);
    try {
      return work();
    } catch (error) {
      throw explainSqlite(file, error, db);
    }
  };
  const prepare = (sql: string): StatementSyncInstance => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  /** Begin and commit, which are compiled once like the rest. */
  const step = (sql: string) => void prepare(sql).run();
  const patiently = <T>(ms: number, work: () => T): T => {
    if (ms >= patienceMs) return work();
    db.exec(`pragma busy_timeout = ${ms}`);
    try {
      return work();
    } finally {
      db.exec(`pragma busy_timeout = ${patienceMs}`);
    }
  };
  const ask = async <T>(kind: keyof typeof BEGIN, work: (build: Builder) => QuerySteps<T>): Promise<T> => {
    builder ??= importBuilder();
    const build = await builder;
    return guarded(() => inTransaction(db, step, BEGIN[kind], () => drive(work(build), prepare)));
  };
  return {
    read: (work) => ask("read", work),
    write: (work) => ask("write", work),
    statement: <Row>(sql: string, ms = patienceMs): Statement<Row> => ({
      get: (...values) => guarded(() => prepare(sql).get(...values.map(bindable)) as Row | undefined),
      all: (...values) => guarded(() => prepare(sql).all(...values.map(bindable)) as Row[]),
      run: (...values) => guarded(() => patiently(ms, () => Number(prepare(sql).run(...values.map(bindable)).changes))),
    }),
    together: (work, ms = patienceMs) => guarded(() => patiently(ms, () => inTransaction(db, step, BEGIN.write, work))),
    reclaim: () =>
      guarded(() =>
        patiently(RECLAIM_PATIENCE_MS, () => {
          try {
            const more = reclaimStep(db);
            if (!more) shrinkLog(db);
            return more;
          } catch (error) {
            if (isBusy(error)) return false;
            throw error;
          }
        }),
      ),
    close: () => {
      prepared.clear();
      if (db.isOpen) closeAndReclaim(db, file);
    },
  };
}

/** A Date, a function or an ArrayBuffer would be stored as NULL, and text comes back cut at its first NUL. */
export function bindable(value: unknown): Value {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" && value.includes("\0"))
    throw new TypeError("Text with a NUL character cannot be stored. Remove it first.");
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A value of type ${typeof value} cannot be stored.`);
}

/** Exclusive creation only: to open and close an existing database here would drop the locks SQLite holds on it in this process. */
function makePrivate(file: string): void {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw explainSystem(file, error);
  }
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw explainSystem(file, error);
  }
}

function connect(file: string, patienceMs: number, schema: Schema): DatabaseSyncInstance {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(file, { timeout: patienceMs });
    // First of all: a database we cannot use must stay as it is.
    // In one look: between two, another process may make the tables that would then seem to be a stranger's.
    const opened = db;
    const isReady = inTransaction(
      opened,
      (sql) => opened.exec(sql),
      BEGIN.read,
      () => isCurrent(opened, file, schema.steps, schema.mark),
    );
    prepareNew(db);
    walMode(db, Date.now() + patienceMs);
    // An acknowledged write survives the death of the process. A power cut may lose the last moments, never consistency.
    // What is deleted is overwritten, not only unlinked: to forget is to forget.
    db.exec("pragma synchronous = normal; pragma foreign_keys = on; pragma secure_delete = on");
    if (!isReady) migrate(db, file, schema.steps, schema.mark);
    return db;
  } catch (error) {
    const explained = explainSqlite(file, error, db);
    if (db?.isOpen) db.close();
    throw explained;
  }
}

/** The first switch to WAL needs the file for itself, and SQLite does not wait for that when two processes start at once. */
function walMode(db: DatabaseSyncInstance, deadline: number): void {
  for (;;) {
    try {
      db.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/**
 * Without an await from begin to commit: other code of this process would otherwise write into the open transaction,
 * or wait for it with the event loop stopped, so that it could never end.
 */
function inTransaction<T>(db: DatabaseSyncInstance, step: (sql: string) => void, begin: string, work: () => T): T {
  step(begin);
  try {
    const result = work();
    step("commit");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}

function drive<T>(unit: QuerySteps<T>, prepare: (sql: string) => StatementSyncInstance): T {
  let step = unit.next([]);
  while (!step.done) {
    const { sql, parameters } = step.value;
    step = unit.next(prepare(sql).all(...parameters.map(bindable)));
  }
  return step.value;
}

/** Kysely builds the queries and nothing else: we run them, for the reason above. */
async function importBuilder(): Promise<Builder> {
  const { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = await import("kysely");
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

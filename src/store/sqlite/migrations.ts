import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { StoreError } from "./error.ts";
import { MEMORY_STEP } from "./migration-memory.ts";
import { TRAJECTORIES_STEP } from "./migration-trajectories.ts";

/** Step n brings a database from version n to n + 1. A step that was released is never edited; a change is a new step. */
export const MIGRATIONS: readonly string[] = [
  `create table conversations (
     id text primary key,
     workspace text not null,
     title text not null,
     created_at integer not null,
     updated_at integer not null,
     last_position integer not null
   );
   create index conversations_by_update on conversations (updated_at, id);
   create index conversations_by_workspace on conversations (workspace, updated_at, id);
   create table messages (
     conversation_id text not null references conversations (id) on delete cascade,
     position integer not null,
     body text not null,
     created_at integer not null,
     primary key (conversation_id, position)
   );
   create table trust (subject text primary key, hash text not null, since integer not null);
   create table anchors (file text primary key, count integer not null, hash text not null, size integer not null);`,
  // The text is kept as bytes: as text it would end at its first NUL.
  `create table tool_overflow (
     id text primary key,
     scope text not null,
     conversation_id text references conversations (id) on delete cascade,
     handle integer,
     body blob not null,
     size integer not null,
     created_at integer not null
   );
   create index tool_overflow_by_handle on tool_overflow (handle, scope, created_at) where handle is not null;
   create index tool_overflow_by_age on tool_overflow (created_at);
   create index tool_overflow_by_conversation on tool_overflow (conversation_id) where conversation_id is not null;`,
  `alter table conversations add column window_start integer not null default 0;
   alter table conversations add column elided_until integer not null default 0;
   alter table conversations add column counted_tokens integer not null default 0;
   alter table conversations add column counted_position integer not null default 0;
   create table reputation (model text primary key, good integer not null, bad integer not null);`,
  MEMORY_STEP,
  TRAJECTORIES_STEP,
  `create table mcp_pins (
     server text not null,
     tool text not null,
     hash text not null,
     definition text not null,
     since integer not null,
     primary key (server, tool)
   );`,
  `create table stranger_writes (
     n integer primary key,
     workspace text not null,
     began integer not null,
     ended integer not null
   );
   create index stranger_writes_by_workspace on stranger_writes (workspace, n);`,
  "alter table anchors add column announced text;",
  `alter table messages add column pieces text;
   create table message_pieces (
     key text not null,
     n integer not null,
     conversation_id text not null references conversations (id) on delete cascade,
     path text not null,
     text text not null,
     primary key (key, n)
   );
   create index message_pieces_by_conversation on message_pieces (conversation_id);`,
  `create table open_questions (
     call_id text primary key,
     workspace text not null,
     conversation_id text references conversations (id) on delete cascade,
     body text not null,
     since integer not null
   );
   create index open_questions_by_conversation on open_questions (conversation_id);`,
  // No rule is an empty one: of two rows with null each would be a row of its own.
  `create table savings (
     day text not null,
     kind text not null,
     rule text not null,
     confidence text not null,
     uses integer not null,
     raw_chars integer not null,
     chars integer not null,
     primary key (day, kind, rule, confidence)
   );
   alter table tool_overflow add column call_id text;
   create index tool_overflow_by_call on tool_overflow (call_id) where call_id is not null;`,
  `create table session_memory (
     session integer primary key,
     workspace text not null,
     owner text not null,
     version integer not null,
     written_at integer not null,
     unique (workspace, owner)
   );
   create index session_memory_by_age on session_memory (written_at);
   create table session_items (
     session integer not null references session_memory (session) on delete cascade,
     name text not null,
     value text not null,
     primary key (session, name)
   ) without rowid;`,
];

/** The tables of a file of ours. */
export interface Schema {
  /** Marks the file as ours, so that we never write tables into another program's database, nor into another file of Zeph's. */
  readonly mark: number;
  readonly steps: readonly string[];
}

/** "Zeph" in ASCII. */
export const STORE_SCHEMA: Schema = { mark: 0x5a657068, steps: MIGRATIONS };

/** Brings the database up to date in one transaction: a failure leaves it as it was, and of two processes one waits for the other. */
export function migrate(db: DatabaseSyncInstance, file: string, steps: readonly string[] = MIGRATIONS, mark = STORE_SCHEMA.mark): void {
  db.exec("begin immediate");
  try {
    // Asked under the lock: another process may have done it while we waited.
    if (!isCurrent(db, file, steps, mark)) {
      for (const step of steps.slice(version(db))) db.exec(step);
      db.exec(`pragma user_version = ${steps.length}; pragma application_id = ${mark}`);
    }
    db.exec("commit");
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}

/** False for a database to be migrated. One that is not ours, or too new, is refused. */
export function isCurrent(
  db: DatabaseSyncInstance,
  file: string,
  steps: readonly string[] = MIGRATIONS,
  mark = STORE_SCHEMA.mark,
): boolean {
  const found = version(db);
  if (!isOurs(db, found, mark))
    throw new StoreError(file, `${file} is another program's database, so nothing was changed. Set store.path to another place.`);
  if (found > steps.length)
    throw new StoreError(file, `${file} was written by a newer Zeph (schema ${found}, this one knows ${steps.length}). Update Zeph.`);
  return found === steps.length;
}

function isOurs(db: DatabaseSyncInstance, found: number, mark: number): boolean {
  const id = pragma(db, "application_id");
  if (id === mark) return true;
  return id === 0 && found === 0 && db.prepare("select 1 from sqlite_master limit 1").get() === undefined;
}

const version = (db: DatabaseSyncInstance) => pragma(db, "user_version");
const pragma = (db: DatabaseSyncInstance, name: string) => Number(Object.values(db.prepare(`pragma ${name}`).get() as object)[0]);

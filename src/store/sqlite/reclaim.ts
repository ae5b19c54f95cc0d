import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** Less than this stays in the file for what is written next. */
const WORTHWHILE_BYTES = 1024 * 1024;
/** Pages given back in one step: about 1 MB, some milliseconds. */
const STEP_PAGES = 256;
/** Nobody waits longer than this for a process that ends. What is left is for the next one. */
const LONGEST_AT_CLOSE_MS = 500;
/** A file from before pages could be given back is written anew once, at a close, when that is worth it and does not take long. */
const REWRITE = { free: 16 * 1024 * 1024, used: 256 * 1024 * 1024 };

const INCREMENTAL = 2;

/** Only an empty file can be made so that its free pages can be given back. */
export function prepareNew(db: DatabaseSyncInstance): void {
  if (numberOf(db, "page_count") === 0) db.exec("pragma auto_vacuum = incremental");
}

/** Gives some free pages back to the disk. True when there is more to give. */
export function reclaimStep(db: DatabaseSyncInstance): boolean {
  if (numberOf(db, "auto_vacuum") !== INCREMENTAL || sizes(db).free <= WORTHWHILE_BYTES) return false;
  db.exec(`pragma incremental_vacuum(${STEP_PAGES})`);
  return sizes(db).free > WORTHWHILE_BYTES;
}

/** Closes a connection. That is a moment when nobody waits for anything else; another process that writes comes first. */
export function closeAndReclaim(db: DatabaseSyncInstance, file: string): void {
  const deadline = Date.now() + LONGEST_AT_CLOSE_MS;
  let isOld = false;
  try {
    db.exec("pragma busy_timeout = 0");
    const { free, used } = sizes(db);
    isOld = file !== ":memory:" && numberOf(db, "auto_vacuum") !== INCREMENTAL && free > REWRITE.free && used < REWRITE.used;
    while (Date.now() < deadline && reclaimStep(db));
  } catch {
    // Locked, full or in the middle of something: what could not be given back now stays where it is.
  }
  db.close();
  if (isOld) rewrite(file);
}

/** On a connection of its own: it cannot be done while any statement of another use is open. */
function rewrite(file: string): void {
  let db: DatabaseSyncInstance | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec("pragma auto_vacuum = incremental; vacuum; pragma wal_checkpoint(truncate)");
  } catch {
    // As above.
  } finally {
    db?.close();
  }
}

/** Where the log of writes grew, it is emptied; not while somebody reads from it. */
export function shrinkLog(db: DatabaseSyncInstance): void {
  try {
    db.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate)");
  } catch {}
}

function sizes(db: DatabaseSyncInstance): { free: number; used: number } {
  const page = numberOf(db, "page_size");
  const free = numberOf(db, "freelist_count");
  return { free: free * page, used: (numberOf(db, "page_count") - free) * page };
}

const numberOf = (db: DatabaseSyncInstance, pragma: string): number => Number(Object.values(db.prepare(`pragma ${pragma}`).get() ?? {})[0]);

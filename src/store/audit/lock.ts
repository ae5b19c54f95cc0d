import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { explainSqlite, explainSystem, isBusy } from "../sqlite/error.ts";

/**
 * Takes the file for this process, or returns null when another has it. Node has no file locks, SQLite has: the kernel lets go of
 * this one when the process dies, however it dies. The lock file stays empty and stays behind; removing it would race.
 */
export function lockFile(file: string): (() => void) | null {
  create(file);
  const db = connect(file);
  try {
    // Without a journal: nothing is ever written, and a killed process would leave one behind.
    db.exec("pragma journal_mode = off; begin exclusive");
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw explainSqlite(file, error);
  }
  return () => {
    // Rolled back first: a connection that is closed with work in hand may keep its lock until it is collected.
    db.exec("rollback");
    db.close();
  };
}

/** Exclusive creation only: to open and close an existing file here would drop the lock this process may hold on it. */
function create(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw explainSystem(file, error);
  }
}

function connect(file: string) {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw explainSqlite(file, error);
  }
}

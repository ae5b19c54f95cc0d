import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { attempt } from "../../text/attempt.ts";

/** What went wrong with something we keep: which file, what is the matter, what to do. Nothing was deleted or overwritten. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly file: string;
  constructor(file: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}

/** SQLite's primary result codes, in words. */
const REASONS: Record<number, (file: string) => string> = {
  5: (file) => `${file} is locked by another program, even after waiting. Close the program that holds it and try again.`,
  8: (file) => `${file} cannot be written: it, or its folder, is read-only. Make both writable, or set store.path to another place.`,
  10: (file) => `${file} could not be read or written: the disk reported an error. Check the disk, then try again.`,
  11: (file) => `${file} is damaged. ${rescue(file)}`,
  13: (file) => `${file} could not grow: the disk is full. Free some space and try again.`,
  14: (file) => `${file} cannot be opened. Check that it is a file, and that it and its folder may be read and written by you.`,
  26: (file) => `${file} is not a SQLite database. ${rescue(file)}`,
};

/** The store's own words for whatever a query threw. A mistake in the query itself passes unchanged. */
export function explainSqlite(file: string, thrown: unknown, db?: DatabaseSyncInstance): unknown {
  const code = codeOf(thrown);
  const reason = REASONS[code];
  if (!reason) return thrown;
  return new StoreError(file, reason(file) + (code === DAMAGED ? firstFinding(db) : ""), { cause: thrown });
}

export const isBusy = (thrown: unknown): boolean => codeOf(thrown) === BUSY;
/** The same of what `explain` made of it. */
export const isLocked = (thrown: unknown): boolean => thrown instanceof StoreError && isBusy(thrown.cause);

/** The file, or only an index in it, holds what cannot be. */
export const isDamaged = (thrown: unknown): boolean =>
  (thrown instanceof StoreError && codeOf(thrown.cause) === DAMAGED) ||
  // A rule of ours that is broken is named. This one is of an index whose table of contents is wrong.
  (thrown instanceof Error && thrown.message === "constraint failed");

/** The same, or no database at all. */
export const isUnreadable = (thrown: unknown): boolean =>
  isDamaged(thrown) || (thrown instanceof StoreError && codeOf(thrown.cause) === NO_DATABASE);

/** The same for what the file system threw. */
export function explainSystem(file: string, thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  if (typeof code !== "string" || !code.startsWith("E")) return thrown;
  const advice = "Check that its folder exists and may be written by you, or set store.path to another place.";
  return new StoreError(file, `${file} cannot be opened or made (${code}). ${advice}`, { cause: thrown });
}

const rescue = (file: string) => `Move it aside and start again, or rescue what it holds with: sqlite3 '${file}' .recover`;

const BUSY = 5;
const DAMAGED = 11;
const NO_DATABASE = 26;
/** The driver leaves the number out of what `all()` throws, so there SQLite's own words have to do. */
const WORDS: Record<string, number> = {
  "database is locked": BUSY,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": DAMAGED,
  "database or disk is full": 13,
  "unable to open database file": 14,
  "file is not a database": 26,
};

function codeOf(thrown: unknown): number {
  const { code, errcode, message } = (thrown ?? {}) as { code?: unknown; errcode?: unknown; message?: string };
  if (code !== "ERR_SQLITE_ERROR") return 0;
  if (typeof errcode === "number") return errcode & 0xff;
  return WORDS[message ?? ""] ?? (message?.startsWith("fts5: ") ? DAMAGED : 0);
}

/** Nothing where the file is too damaged even to be checked: the message says enough. */
function firstFinding(db: DatabaseSyncInstance | undefined): string {
  const row = attempt(() => db?.prepare("pragma quick_check(1)").get(), undefined) as { quick_check?: string } | undefined;
  return row?.quick_check && row.quick_check !== "ok" ? ` (${row.quick_check})` : "";
}

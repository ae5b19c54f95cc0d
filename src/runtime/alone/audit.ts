import type { AuditLog, AuditPage, Verification } from "../../core/ports/audit.ts";

/** Where a log lies, and who remembers how long it was. */
export interface AuditOptions {
  /** The file of JSON lines. */
  readonly path: string;
  /** The SQLite file that remembers the last line, so that a tail that was cut off is missed. Keep it where what writes the log cannot reach it. Without it only what is inside the file is checked. */
  readonly store?: string;
}

/** A log that is open for writing. */
export interface OpenAudit extends AuditLog {
  /** Where the lines go: beside the path asked for when another process writes that one. */
  readonly path: string;
  close(): Promise<void>;
}

/** Opens an audit log to write to: each line carries the hash of the one before. One process writes a file; another gets one beside it. */
export async function openAudit(options: AuditOptions): Promise<OpenAudit> {
  return (await import("./audit-files.ts")).openAuditAlone(options);
}

/** Looks for lines that were edited, removed, added or cut off: one answer for the file and for each that another process wrote beside it. */
export async function verifyAuditLog(options: AuditOptions): Promise<readonly Verification[]> {
  return (await import("./audit-files.ts")).verifyAuditAlone(options);
}

/** The last lines of the log, oldest first. */
export async function readAuditTail(options: AuditOptions, count: number): Promise<AuditPage> {
  return (await import("./audit-files.ts")).readTailAlone(options, count);
}

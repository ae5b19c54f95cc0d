import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { readEntry } from "./indexed-line.ts";

/** A file of the log that is open for reading. */
export interface LogFile {
  readonly fd: number;
  /** Which file it is, whatever its name: another one in its place has another identity. */
  readonly identity: string;
  readonly size: number;
}

/** Null where there is none, or something that is no regular file: a pipe would be waited for without an end. */
export function withLogFile<T>(name: string, work: (file: LogFile) => T): T | null {
  let fd: number;
  try {
    fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (UNREADABLE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
  try {
    const found = fstatSync(fd, { bigint: true });
    if (!found.isFile()) return null;
    return work({ fd, identity: `${found.dev}:${found.ino}`, size: Number(found.size) });
  } finally {
    closeSync(fd);
  }
}
const UNREADABLE: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENXIO"]);

/** What changes when a file does: for those who look often. Null where it is gone. */
export function fileMark(name: string): string | null {
  const found = statSync(name, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.dev}:${found.ino} ${found.size} ${found.mtimeNs}` : null;
}

/** As many bytes as there are and fit, into this memory. */
export function readLogBytes(fd: number, at: number, into: Buffer): Buffer {
  let length = 0;
  while (length < into.length) {
    const read = readSync(fd, into, length, into.length - length, at + length);
    if (read === 0) break;
    length += read;
  }
  return into.subarray(0, length);
}

/** The entry that stands here; null where the file holds something else by now. */
export const entryAt = (fd: number, at: number, size: number): AuditEntry | null => {
  const bytes = readLogBytes(fd, at, Buffer.allocUnsafe(size));
  return bytes.length === size && bytes.at(-1) === 10 ? readEntry(bytes.subarray(0, -1)) : null;
};

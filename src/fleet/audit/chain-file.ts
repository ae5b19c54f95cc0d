import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { keepIf } from "../../files/descriptor.ts";
import { lineBefore } from "../../store/audit/chain.ts";
import { type AuditLine, linesFrom } from "../../store/audit/lines.ts";

/** How many lines of a file, the hash of the last of them, and where it ends. */
export interface ChainPlace {
  readonly count: number;
  readonly hash: string;
  readonly size: number;
}

/** Lines to be copied at once. */
export interface LineBatch {
  readonly lines: readonly CopiedLine[];
  readonly end: ChainPlace;
}

export interface CopiedLine {
  /** Empty where the bytes are no text that a database takes: a process died while it wrote them. */
  readonly text: string;
  readonly hash: string;
  /** Only where the text is empty. Null also where the line is longer than any of ours. */
  readonly raw: Buffer | null;
  /** Bytes in the file, with the newline. */
  readonly size: number;
}

/** An audit file, held open: one that is renamed or deleted is read to its end. */
export interface ChainFile {
  /** The hash of its first line, by which it is known wherever it lies. */
  readonly id: string;
  /** Whether these lines are in it still. */
  holds(place: ChainPlace): boolean;
  /** The next whole lines; null when there are none. */
  read(from: ChainPlace): LineBatch | null;
  /** Whether the path still leads to it. */
  isInPlace(): boolean;
  close(): void;
}

const MOST_LINES = 200;
/** A batch ends with the line that goes beyond it. */
const MOST_BYTES = 1024 * 1024;

/** Null when there is no such file, or no whole line in it yet. */
export function openChainFile(path: string): ChainFile | null {
  const fd = openThere(path);
  if (fd === null) return null;
  const { first, place } = keepIf(fd, () => ({ first: firstLine(fd), place: fstatSync(fd) }));
  if (first === null) {
    closeSync(fd);
    return null;
  }
  return {
    id: first,
    holds: ({ size, hash }) => fstatSync(fd).size >= size && lineBefore(fd, size) === hash,
    read: (from) => readBatch(fd, from),
    isInPlace() {
      const now = statSync(path, { throwIfNoEntry: false });
      return now?.ino === place.ino && now.dev === place.dev;
    },
    close: () => closeSync(fd),
  };
}

function openThere(path: string): number | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function firstLine(fd: number): string | null {
  if (!fstatSync(fd).isFile()) return null;
  for (const line of linesFrom(fd, 0, 0)) return line.end === "newline" ? line.hash : null;
  return null;
}

function readBatch(fd: number, from: ChainPlace): LineBatch | null {
  const lines: CopiedLine[] = [];
  let end = from;
  for (const line of linesFrom(fd, from.size, from.count)) {
    // Not written to its end yet. A line that stays so was never acknowledged.
    if (line.end === "none") break;
    lines.push(copied(line));
    end = { count: line.number, hash: line.hash, size: end.size + line.size };
    if (lines.length === MOST_LINES || end.size - from.size >= MOST_BYTES) break;
  }
  return lines.length === 0 ? null : { lines, end };
}

function copied({ bytes, hash, size }: AuditLine): CopiedLine {
  if (bytes === null) return { text: "", hash, raw: null, size };
  const isText = isUtf8(bytes) && !bytes.includes(0);
  return isText ? { text: bytes.toString("utf8"), hash, raw: null, size } : { text: "", hash, raw: Buffer.from(bytes), size };
}

import { createHash, type Hash, hash } from "node:crypto";
import { constants, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { StoreError } from "../sqlite/error.ts";

/** No line we write is longer. One that is gets hashed, but never held in memory. */
export const MAX_LINE = 16 * 1024 * 1024;
const CHUNK = 256 * 1024;
const NEWLINE = 10;

export const sha256 = (bytes: Buffer | string): string => hash("sha256", bytes, "hex");

export interface AuditLine {
  readonly number: number;
  readonly hash: string;
  /** Bytes with the newline. */
  readonly size: number;
  /** Without the newline; null when the line is longer than any we write. Valid until the next chunk is read. */
  readonly bytes: Buffer | null;
  readonly end: "newline" | "none";
}

/** The lines of a file, a batch at a time, in bounded memory. */
export async function* auditLines(file: string): AsyncGenerator<readonly AuditLine[]> {
  const handle = await openRegular(file);
  try {
    const split = splitter(0);
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) break;
      yield split.push(buffer.subarray(0, bytesRead));
    }
    yield split.rest();
  } finally {
    await handle.close();
  }
}

/** The same from a position on, without waiting: for opening the log. `before` is how many lines lie before it. */
export function* linesFrom(fd: number, position: number, before: number): Generator<AuditLine> {
  const split = splitter(before);
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = position; ; ) {
    const read = readSync(fd, buffer, 0, CHUNK, at);
    if (read === 0) break;
    at += read;
    yield* split.push(buffer.subarray(0, read));
  }
  yield* split.rest();
}

/** The log is never read through a pipe or a device: it would wait for ever. */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new StoreError(file, `${file} is not a regular file, so it cannot be an audit log. Set audit.path to another place.`);
}

function splitter(before: number) {
  let number = before;
  let kept: Buffer[] = [];
  let size = 0;
  /** Only for a line too long to be kept. */
  let running: Hash | null = null;

  const keep = (piece: Buffer) => {
    size += piece.length;
    if (!running && size > MAX_LINE) {
      running = createHash("sha256");
      for (const earlier of kept) running.update(earlier);
      kept = [];
    }
    if (running) running.update(piece);
    // Copied: the chunk it points into is read over.
    else if (piece.length > 0) kept.push(Buffer.from(piece));
  };
  const finish = (end: AuditLine["end"]): AuditLine => {
    const bytes = running ? null : kept.length === 1 ? kept[0]! : Buffer.concat(kept);
    return started(bytes, running ? running.digest("hex") : sha256(bytes!), size, end);
  };
  const started = (bytes: Buffer | null, hashed: string, length: number, end: AuditLine["end"]): AuditLine => {
    number += 1;
    kept = [];
    size = 0;
    running = null;
    return { number, hash: hashed, size: end === "newline" ? length + 1 : length, bytes, end };
  };
  return {
    push(chunk: Buffer): AuditLine[] {
      const lines: AuditLine[] = [];
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        const piece = chunk.subarray(start, at);
        if (size === 0) lines.push(started(piece, sha256(piece), piece.length, "newline"));
        else {
          keep(piece);
          lines.push(finish("newline"));
        }
        start = at + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
    rest: (): AuditLine[] => (size === 0 ? [] : [finish("none")]),
  };
}

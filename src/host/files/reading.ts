import { isUtf8 } from "node:buffer";
import { closeSync, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import { ToolError } from "../../core/error.ts";
import type { Lines, Window } from "../../core/ports/host.ts";
import { closeAfter } from "../../files/descriptor.ts";
import type { OpenFile } from "./pin.ts";

const readChunk = promisify(readCallback);

/** Files up to this size are read at once, on the spot: the system has them cached more often than a thread can be woken. */
const SMALL = 1024 * 1024;
const CHUNK = 256 * 1024;
/** Most bytes of text one read hands over. */
const MAX_SHOWN = 256 * 1024;
/** Most bytes of a file that is changed as a whole. */
export const MAX_WHOLE = 64 * 1024 * 1024;

/** The lines of a window. Closes the file. */
export async function readLineWindow(file: OpenFile, path: string, window: Window, signal: AbortSignal): Promise<Omit<Lines, "path">> {
  try {
    if (file.stats.size > SMALL) return await scan(file.fd, path, window, signal);
    const bytes = readWhole(file, SMALL * 2);
    return windowOf(bytes, path, window);
  } finally {
    closeSync(file.fd);
  }
}

/** The lines of a window of a text that is no file. */
export const lineWindowOf = (text: string, path: string, window: Window): Omit<Lines, "path"> => windowOf(Buffer.from(text), path, window);

/** The whole text, exactly as it is on disk. Closes the file. */
export const readWholeText = (file: OpenFile, path: string): string =>
  closeAfter(file.fd, () => {
    if (file.stats.size > MAX_WHOLE)
      throw new ToolError(
        "permanent_failure",
        `${path} has ${file.stats.size} bytes; files over ${MAX_WHOLE} bytes are not changed as a whole.`,
      );
    const bytes = readWhole(file, MAX_WHOLE);
    assertText(bytes, path);
    return bytes.toString("utf8");
  });

export const isDiffable = (text: string): boolean => text.length <= SMALL;

/** For a diff: the old text if it is short and is text, else undefined. Closes the file. */
export const readForDiff = (file: OpenFile): string | undefined =>
  closeAfter(file.fd, () => {
    if (file.stats.size > SMALL) return undefined;
    const bytes = readWhole(file, SMALL * 2);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  });

/** The bytes of a file; null when there are more than so many. */
export const readWithin = (file: OpenFile, most: number): Buffer | null =>
  closeAfter(file.fd, () => (file.stats.size > most ? null : readWhole(file, most)));

function readWhole({ fd, stats }: OpenFile, most: number): Buffer {
  // One byte more than expected, so that a full buffer means the file grew.
  let bytes = Buffer.allocUnsafe(Math.min(stats.size, most) + 1);
  let length = 0;
  for (;;) {
    const got = readSync(fd, bytes, length, bytes.length - length, null);
    if (got === 0) return bytes.subarray(0, length);
    length += got;
    if (length > most) throw new ToolError("permanent_failure", "The file grew while it was read. Read it again.");
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(bytes.length * 2 + CHUNK, most + 1));
  }
}

const NEWLINE = 10;

function windowOf(bytes: Buffer, path: string, { offset, limit }: Window): Omit<Lines, "path"> {
  assertText(bytes, path);
  const text = withoutMark(bytes.toString("utf8"));
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const window = offset === 1 && limit >= all.length ? all : all.slice(offset - 1, offset - 1 + limit);
  const lines = text.includes("\r") ? window.map(withoutReturn) : window;
  const { shown, cutLine } = text.length < MAX_SHOWN ? { shown: lines, cutLine: false } : fitting(lines);
  return { lines: shown, cutLine, more: cutLine || offset - 1 + shown.length < all.length, total: all.length };
}

/** Cuts lines so that together they stay below the most that is shown. */
function fitting(lines: string[]): { shown: string[]; cutLine: boolean } {
  let left = MAX_SHOWN;
  for (const [n, line] of lines.entries()) {
    if (line.length < left) {
      left -= line.length + 1;
      continue;
    }
    const shown = lines.slice(0, n);
    if (n === 0) shown.push(line.slice(0, left));
    return { shown, cutLine: n === 0 };
  }
  return { shown: lines, cutLine: false };
}

/** Walks a large file in pieces and keeps only the bytes of the window. */
async function scan(fd: number, path: string, { offset, limit }: Window, signal: AbortSignal): Promise<Omit<Lines, "path">> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let lastByte = NEWLINE;
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await readChunk(fd, chunk, 0, CHUNK, position);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0) assertText(bytes.subarray(0, lastWhole(bytes)), path);
    position += bytesRead;
    lastByte = bytes[bytesRead - 1]!;

    let from = 0;
    while (from < bytesRead && line < offset + limit) {
      const at = bytes.indexOf(NEWLINE, from);
      const end = at === -1 ? bytesRead : at + 1;
      if (line >= offset && keptBytes < MAX_SHOWN + 4) {
        kept.push(bytes.subarray(from, end));
        keptBytes += end - from;
      }
      if (at !== -1) line++;
      from = end;
    }
    if (line >= offset + limit || keptBytes > MAX_SHOWN) return finish(kept, path, limit, null);
  }
  const total = lastByte === NEWLINE ? line - 1 : line;
  return finish(kept, path, limit, total);
}

function finish(kept: readonly Buffer[], path: string, limit: number, total: number | null): Omit<Lines, "path"> {
  const joined = Buffer.concat(kept);
  const bytes = joined.subarray(0, Math.min(joined.length, MAX_SHOWN));
  const whole = bytes.subarray(0, lastWhole(bytes));
  assertText(whole, path);
  const lines = withoutMark(whole.toString("utf8")).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const cut = joined.length > bytes.length;
  // A line that was cut is dropped unless it is the only one: half a line reads like a whole one.
  if (cut && lines.length > 1) lines.pop();
  const shown = lines.slice(0, limit).map(withoutReturn);
  return { lines: shown, cutLine: cut && lines.length === 1, more: cut || total === null, total: cut ? null : total };
}

/** The length without a character that was cut at the end. */
function lastWhole(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export function assertText(bytes: Buffer, path: string): void {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe || mark === 0xfeff)
    throw new ToolError("permanent_failure", `${path} is UTF-16 text, not UTF-8. Convert it first, for example with iconv.`);
  if (bytes.includes(0)) throw new ToolError("permanent_failure", `${path} is a binary file (it holds NUL bytes) and is not shown.`);
  if (isUtf8(bytes)) return;
  throw new ToolError("permanent_failure", `${path} is not UTF-8: ${firstBad(bytes)}. Convert it first, for example with iconv.`);
}

/** Where the first byte sits that is no UTF-8. Only asked once it is known that there is one. */
function firstBad(bytes: Buffer): string {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, lastWhole(part)))) good = middle;
    else bad = middle;
  }
  const at = lastWhole(bytes.subarray(0, good));
  const line = bytes.subarray(0, at).toString("latin1").split("\n").length;
  return `byte 0x${bytes[at]!.toString(16).padStart(2, "0")} in line ${line}`;
}

const withoutMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
const withoutReturn = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line);

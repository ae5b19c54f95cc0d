import type { FileHandle } from "node:fs/promises";
import { MAX_LINE, openRegular } from "./lines.ts";

const BLOCK = 64 * 1024;
/** However many lines are asked for, no more than this is held. */
const MOST = 64 * 1024 * 1024;

export interface Tail {
  readonly lines: readonly string[];
  /** Where the last whole line ends. */
  readonly end: number;
}

/** The last whole lines, read from the end. A line still being written is not among them. */
export async function tailAudit(file: string, count: number): Promise<Tail> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    const blocks: Buffer[] = [];
    let from = size;
    // One newline more than lines: the first one ends the line before them.
    for (let found = 0; from > 0 && size - from < MOST && found <= count; found += newlines(blocks[0]!)) {
      const start = Math.max(0, from - BLOCK);
      blocks.unshift(await readAt(handle, start, from - start));
      from = start;
    }
    const bytes = Buffer.concat(blocks);
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    return { lines: textLines(whole).slice(count > 0 ? -count : Number.POSITIVE_INFINITY), end: from + whole.length };
  } finally {
    await handle.close();
  }
}

/** The whole lines after a position. A file that is shorter than that was replaced and is read from its beginning. */
export async function linesAfter(file: string, position: number): Promise<Tail> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    const from = size < position ? 0 : position;
    const bytes = await readAt(handle, from, Math.min(size - from, MAX_LINE));
    const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    // Longer than any line of ours: step over it, or we would wait for its end for ever.
    const end = whole.length === 0 && bytes.length === MAX_LINE ? from + MAX_LINE : from + whole.length;
    return { lines: textLines(whole), end };
  } finally {
    await handle.close();
  }
}

const textLines = (whole: Buffer): string[] => (whole.length === 0 ? [] : whole.toString("utf8", 0, whole.length - 1).split("\n"));

function newlines(bytes: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) found += 1;
  return found;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

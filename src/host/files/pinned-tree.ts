import { closeSync, lstatSync, readSync, type Stats } from "node:fs";
import { TextDecoder } from "node:util";
import { keepIf } from "../../files/descriptor.ts";
import type { Pace } from "../../text/pace.ts";
import { nameOf } from "../../text/path.ts";
import { type EntryName, openFileInside, type Pinned, pinInside } from "./pin.ts";

/** Folders held open at a time. */
const MOST_FOLDERS = 64;
const WINDOW = 16 * 1024;

/**
 * What lies below a pinned folder, reached step by step without following links. The search engine walks by name: what it says counts only
 * once it was found here too. Names are bytes, each a character, because not every name is text.
 */
export class PinnedTree {
  readonly #root: Pinned;
  readonly #folders = new Map<string, Pinned>();
  readonly #buffer: Buffer = Buffer.allocUnsafe(WINDOW);

  constructor(root: Pinned) {
    this.#root = root;
  }

  /** null when there is no such file, or a link leads to it. One at a time; the caller closes it. */
  open(name: string): (OpenText & { readonly fd: number; readonly stats: Stats }) | null {
    return unlessExhausted(() => {
      const { fd, stats } = openFileInside(this.#folder(holding(name)), entryName(name));
      return keepIf(fd, () => ({ ...contentOf(fd, this.#buffer), fd, stats }));
    });
  }

  hasFile(name: string): boolean {
    const stats = unlessExhausted(() => lstatSync(this.#folder(holding(name)).at(entryName(name)), { throwIfNoEntry: false }));
    return stats?.isFile() ?? false;
  }

  close(): void {
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }

  /** Only good until the next one is asked for. */
  #folder(name: string): Pinned {
    if (name === "") return this.#root;
    const known = this.#folders.get(name);
    if (known) {
      this.#folders.delete(name);
      this.#folders.set(name, known);
      return known;
    }
    const folder = pinInside(this.#folder(holding(name)), entryName(name));
    this.#folders.set(name, folder);
    if (this.#folders.size > MOST_FOLDERS) {
      const [oldest, unused] = this.#folders.entries().next().value!;
      this.#folders.delete(oldest);
      unused.close();
    }
    return folder;
  }
}

const holding = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf("/")));

function entryName(path: string): EntryName {
  const name = nameOf(path);
  if (name === "" || name === "." || name === "..") throw new Error(`"${name}" is not the name of an entry.`);
  return isPlain(name) ? name : Buffer.from(name, "latin1");
}

/** The name as text, for showing and judging. Bytes that are no UTF-8 become the replacement character. */
export const nameAsText = (bytes: string): string => (isPlain(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8"));

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const isPlain = (name: string): boolean => /^[\x00-\x7f]*$/.test(name);

/** Whatever cannot be entered or opened is left out. To have run out of descriptors is not an answer. */
function unlessExhausted<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (["EMFILE", "ENFILE", "ENOMEM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return null;
  }
}

/** The text of a file as the search engine counts it: in bytes of UTF-8, without a byte order mark. */
export interface OpenText {
  /** Up to so many bytes from there; fewer at the end. Questions come in rising order. Good until the next one. */
  bytes(from: number, length: number, pace: Pace): Buffer | Promise<Buffer>;
  close(): void;
}

const NOTHING: Buffer = Buffer.alloc(0);

export function contentOf(fd: number, buffer: Buffer = Buffer.allocUnsafe(WINDOW)): OpenText {
  const start = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  const mark = start.toString("latin1", 0, 3);
  if (mark.startsWith("\xff\xfe")) return wide(fd, new TextDecoder("utf-16le"));
  if (mark.startsWith("\xfe\xff")) return wide(fd, new TextDecoder("utf-16be"));
  return plain(fd, mark === "\xef\xbb\xbf" ? 3 : 0, start, buffer);
}

function plain(fd: number, skipped: number, first: Buffer, buffer: Buffer): OpenText {
  let window = first.subarray(skipped);
  let start = 0;
  return {
    bytes(from, length) {
      if (from < start || from + length > start + window.length) {
        const target = length > buffer.length ? Buffer.allocUnsafe(length) : buffer;
        window = target.subarray(0, readSync(fd, target, 0, target.length, skipped + from));
        start = from;
      }
      return window.subarray(from - start, from - start + length);
    },
    close: () => closeSync(fd),
  };
}

/** UTF-16 says nothing about where a byte of UTF-8 lies, so it is decoded from the start. */
function wide(fd: number, decoder: TextDecoder): OpenText {
  const chunk = Buffer.allocUnsafe(WINDOW);
  let read = 0;
  let window = NOTHING;
  let start = 0;
  const decodeOn = (): boolean => {
    const count = readSync(fd, chunk, 0, chunk.length, read);
    read += count;
    const text = Buffer.from(decoder.decode(chunk.subarray(0, count), { stream: count > 0 }));
    window = Buffer.concat([window, text]);
    return count > 0;
  };
  return {
    async bytes(from, length, pace) {
      for (let more = true; more; ) {
        const past = Math.min(Math.max(0, from - start), window.length);
        window = window.subarray(past);
        start += past;
        if (start === from && window.length >= length) break;
        await pace.step();
        more = decodeOn();
      }
      return start === from ? window.subarray(0, length) : NOTHING;
    },
    close: () => closeSync(fd),
  };
}

import { Bytes } from "./bytes.ts";

/** What a line too long to be read says of itself: enough to answer it. */
export interface LongLine {
  /** Of the message; null when it has none, or it could not be told. */
  readonly id: string | number | null;
  /** "request" has a method, "answer" has none; a message that is no object is neither. */
  readonly kind: "request" | "answer" | "unknown";
}

export type JsonLine = { readonly text: string } | { readonly tooLong: LongLine };

/**
 * Messages, one a line, up to a limit. A longer line is dropped as it comes, and only its id is kept: a peer that sends too much gets an answer,
 * and whoever waits for its answer is not left waiting. Never holds more than the limit.
 */
export class JsonLines {
  readonly most: number;
  readonly #line: Bytes;
  #head: Head | null = null;
  #isTooLong = false;
  #length = 0;

  constructor(most: number) {
    this.most = most;
    this.#line = new Bytes(most);
  }

  *read(chunk: Uint8Array): Generator<JsonLine, void> {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      this.#add(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return;
      yield this.#take();
      rest = rest.subarray(end + 1);
    }
  }

  /** Bytes of the line that has no end yet, those that were dropped too. */
  get length(): number {
    return this.#length;
  }

  /** What is held of a line that has no end. */
  clear(): void {
    this.#take();
  }

  #add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#isTooLong) {
      this.#head!.read(piece);
      return;
    }
    const before = this.#line.length;
    if (before + piece.length > Math.min(LONG, this.most) && this.#head === null) {
      this.#head = new Head();
      this.#head.read(this.#line.bytes());
    }
    this.#head?.read(piece);
    if (this.#line.add(piece)) return;
    this.#isTooLong = true;
    this.#line.take();
  }

  #take(): JsonLine {
    const text = this.#line.take();
    const line: JsonLine = this.#isTooLong ? { tooLong: this.#head!.told() } : { text };
    this.#head = null;
    this.#isTooLong = false;
    this.#length = 0;
    return line;
  }
}

const NEWLINE = 10;
/** From here on a line is looked at while it comes, so that the look at a line of many megabytes is never one long step. */
const LONG = 64 * 1024;
const LONGEST_ID = 200;
const LONGEST_NAME = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];

/** Walks over a JSON text byte by byte and remembers which members the outermost object has, and its id. Keeps a few bytes. */
class Head {
  #depth = 0;
  #isObject = false;
  #inString = false;
  #isEscaped = false;
  /** At the first level: a name is read, or a value. */
  #at: "name" | "value" = "name";
  #name: number[] = [];
  #value: number[] = [];
  #id: string | number | null = null;
  #hasMethod = false;

  read(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inString) this.#inText(byte);
      else if (byte === QUOTE) {
        this.#inString = true;
        this.#keep(byte);
      } else this.#between(byte);
    }
  }

  told(): LongLine {
    const kind = !this.#isObject ? "unknown" : this.#hasMethod ? "request" : "answer";
    return { id: this.#id, kind };
  }

  #inText(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #between(byte: number): void {
    if (OPENING.includes(byte)) {
      if (this.#depth === 0) this.#isObject = byte === OPENING[0];
      this.#depth++;
    } else if (CLOSING.includes(byte)) {
      if (--this.#depth === 0) this.#endMember();
    } else if (this.#depth === 1 && byte === COLON) this.#at = "value";
    else if (this.#depth === 1 && byte === COMMA) this.#endMember();
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth !== 1) return;
    const [into, most] = this.#at === "name" ? [this.#name, LONGEST_NAME] : [this.#value, LONGEST_ID];
    // One more than fits is kept, so that a name or an id that was cut is none.
    if (into.length <= most) into.push(byte);
  }

  #endMember(): void {
    const name = parsed(this.#name, LONGEST_NAME);
    if (name === "method" && this.#isObject) this.#hasMethod = true;
    if (name === "id" && this.#isObject) {
      const id = parsed(this.#value, LONGEST_ID);
      this.#id = typeof id === "string" || typeof id === "number" ? id : null;
    }
    this.#at = "name";
    this.#name = [];
    this.#value = [];
  }
}

function parsed(bytes: readonly number[], most: number): unknown {
  if (bytes.length > most) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

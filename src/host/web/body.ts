import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { ToolError } from "../../core/error.ts";

export interface Body {
  readonly bytes: Uint8Array;
  /** There was more than the cap. */
  readonly truncated: boolean;
  /** As it came over the wire. */
  readonly received: number;
}

export interface BodyLimits {
  readonly maxBytes: number;
  /** Told of every chunk with how much came in all, so that it is known even when the body never ends well. */
  onChunk(received: number): void;
}

/** Reads a body, unpacks it, and stops at the cap: of what was sent and of what it unpacks to. */
export async function readBody(source: Readable, encoding: string, { maxBytes, onChunk }: BodyLimits): Promise<Body> {
  const unpack = unpacker(encoding);
  const kept = bucket(maxBytes);
  let received = 0;
  let isCut = false;
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await chunks.next();
  async function* wire() {
    for (let next = first; !next.done; next = await chunks.next()) {
      received += next.value.length;
      onChunk(received);
      yield next.value;
      // Packed data can go on for ever and say nothing.
      if (unpack && received > maxBytes + PACKED_SLACK) {
        isCut = true;
        return;
      }
    }
  }
  try {
    const plain = unpack && !first.done ? pipeline(wire(), unpack(first.value[0] ?? 0), () => {}) : wire();
    for await (const chunk of plain) {
      if (kept.add(chunk as Buffer)) continue;
      isCut = true;
      break;
    }
  } finally {
    source.destroy();
  }
  return { bytes: kept.bytes(), truncated: isCut, received };
}

/** What does not get smaller by packing gets a little larger. */
const PACKED_SLACK = 64 * 1024;

/** By content coding. The first byte tells deflate with a header from deflate without. A cut end is no error: what came is kept. */
const UNPACKERS: Record<string, (firstByte: number) => Transform> = {
  gzip: () => createGunzip(ZLIB),
  "x-gzip": () => createGunzip(ZLIB),
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB)),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };
export const ACCEPTED_CODINGS = "gzip, deflate, br";

/** Null when the body comes as it is. Packed twice is a trick, not a page. */
function unpacker(encoding: string) {
  const coding = encoding.trim().toLowerCase();
  if (coding === "" || coding === "identity") return null;
  const known = Object.hasOwn(UNPACKERS, coding) && UNPACKERS[coding];
  if (known) return known;
  throw new ToolError("permanent_failure", "The server packed the page in a way that was not asked for, so it cannot be read.");
}

/** Copies, because a small piece of a chunk would keep the whole chunk in memory. */
function bucket(max: number) {
  let buffer = new Uint8Array(Math.min(max, 64 * 1024));
  let length = 0;
  return {
    /** False when there was no room for all of it. */
    add(chunk: Uint8Array): boolean {
      const taken = Math.min(chunk.length, max - length);
      if (length + taken > buffer.length) {
        const larger = new Uint8Array(Math.min(max, Math.max(buffer.length * 2, length + taken)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(chunk.subarray(0, taken), length);
      length += taken;
      return taken === chunk.length;
    },
    bytes: () => buffer.slice(0, length),
  };
}

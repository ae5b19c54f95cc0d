/** A piece of a request: what is the same as in the request before lies there as bytes. */
export type RequestPiece = string | Buffer;

/** The bytes of a request. To write it as one text first would copy and encode all of a conversation again with every request. */
export function joinRequest(pieces: readonly RequestPiece[]): Buffer {
  let size = 0;
  for (const piece of pieces) size += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  const all = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") at += all.write(piece, at);
    else {
      all.set(piece, at);
      at += piece.length;
    }
  }
  return all;
}

/** Bytes that more is added to. */
export interface GrowingBytes {
  add(text: string): void;
  all(): Buffer;
}

export function createGrowingBytes(): GrowingBytes {
  let room = Buffer.alloc(0);
  let used = 0;
  return {
    add(text) {
      const size = Buffer.byteLength(text);
      if (used + size > room.length) {
        // A half more than is needed, so that it is moved seldom.
        const larger = Buffer.allocUnsafeSlow(Math.ceil((used + size) * 1.5));
        room.copy(larger, 0, 0, used);
        room = larger;
      }
      used += room.write(text, used);
    },
    all: () => room.subarray(0, used),
  };
}

/** Bytes that are made again only when one of the values they are made of is another: what a request begins with is mostly that of the one before. */
export function createKeptBytes(): (madeOf: readonly unknown[], make: () => string) => Buffer {
  let last: { readonly madeOf: readonly unknown[]; readonly bytes: Buffer } | null = null;
  return (madeOf, make) => {
    if (last?.madeOf.length === madeOf.length && last.madeOf.every((value, n) => value === madeOf[n])) return last.bytes;
    last = { madeOf, bytes: Buffer.from(make()) };
    return last.bytes;
  };
}

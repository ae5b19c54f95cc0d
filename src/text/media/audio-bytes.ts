/** What the bytes of a recording say about it. `end`: what follows is no part of it. */
export interface AudioFacts {
  readonly type: "audio/wav" | "audio/mpeg";
  readonly seconds: number;
  readonly end: number;
}

/** Null: it is neither kind, or a part of it is missing. */
export function audioFacts(bytes: Buffer): AudioFacts | null {
  try {
    return wavFacts(bytes) ?? mp3Facts(bytes);
  } catch (error) {
    // Reading behind the end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function wavFacts(bytes: Buffer): AudioFacts | null {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") return null;
  let rate = 0;
  for (let at = 12; ; ) {
    const kind = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (kind === "fmt ") rate = bytes.readUInt32LE(at + 16);
    if (kind === "data") {
      // Whoever wrote it as it came did not know how long it would be.
      const left = bytes.length - at - 8;
      const length = size === 0 || size === 0xffff_ffff ? left : size;
      return rate > 0 && length > 0 && length <= left ? { type: "audio/wav", seconds: length / rate, end: bytes.length } : null;
    }
    at += 8 + size + (size % 2);
  }
}

/** Kilobits a second of the third layer, by the version of the format. */
const KILOBITS: readonly (readonly number[])[] = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

function mp3Facts(bytes: Buffer): AudioFacts | null {
  const begin = bytes.toString("latin1", 0, 3) === "ID3" ? 10 + tagSize(bytes) : 0;
  const head = bytes.readUInt32BE(begin);
  const version = (head >>> 19) & 3;
  const kilobits = KILOBITS[version === 3 ? 0 : 1]![((head >>> 12) & 15) - 1];
  const isHead = head >>> 21 === 0x7ff && version !== 1 && ((head >>> 17) & 3) === 1 && ((head >>> 10) & 3) !== 3;
  if (!isHead || kilobits === undefined) return null;
  return { type: "audio/mpeg", seconds: ((bytes.length - begin) * 8) / (kilobits * 1000), end: bytes.length };
}

/** Seven bits in each byte. */
const tagSize = (bytes: Buffer): number => [6, 7, 8, 9].reduce((size, at) => size * 128 + (bytes.readUInt8(at) & 0x7f), 0);

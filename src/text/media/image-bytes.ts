/** What the bytes of an image say about it. `end`: what follows is no part of it. */
export interface ImageFacts {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number;
  readonly height: number;
  readonly end: number;
}

/**
 * Reads an image as far as its frame goes, to its end. Null: it is none of the four kinds, or a part of it is missing. Nothing is decoded, so that no
 * image can cost more than its bytes.
 */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  const head = bytes.toString("latin1", 0, 12);
  const reader = READERS.find(({ begins, ends = "" }) => head.startsWith(begins) && head.endsWith(ends));
  let steps = 0;
  const step = () => {
    if (++steps > MOST_STEPS) throw new RangeError("It has more parts than any image.");
  };
  try {
    const facts = reader?.read(bytes, step) ?? null;
    return facts !== null && facts.width > 0 && facts.height > 0 && facts.end <= bytes.length ? facts : null;
  } catch (error) {
    // Reading behind the end, or without an end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A part of a real image has hundreds of bytes; a million parts of nothing would hold everybody up. */
const MOST_STEPS = 100_000;

interface ImageReader {
  readonly begins: string;
  /** What the first twelve bytes end with. */
  readonly ends?: string;
  readonly read: (bytes: Buffer, step: () => void) => ImageFacts | null;
}
const READERS: readonly ImageReader[] = [
  { begins: "\x89PNG\r\n\x1a\n", read: pngFacts },
  { begins: "\xff\xd8\xff", read: jpegFacts },
  { begins: "GIF87a", read: gifFacts },
  { begins: "GIF89a", read: gifFacts },
  { begins: "RIFF", ends: "WEBP", read: webpFacts },
];

function pngFacts(bytes: Buffer, step: () => void): ImageFacts | null {
  if (bytes.readUInt32BE(8) !== 13 || name(bytes, 12) !== "IHDR") return null;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  let hasPixels = false;
  for (let at = 8; ; at += 12 + bytes.readUInt32BE(at)) {
    step();
    const kind = name(bytes, at + 4);
    if (kind === "IDAT") hasPixels = true;
    if (kind === "IEND") return hasPixels ? { type: "image/png", ...size, end: at + 12 + bytes.readUInt32BE(at) } : null;
  }
}

const name = (bytes: Buffer, at: number): string => bytes.toString("latin1", at, at + 4);

/** Frame headers, of all ways to compress; 0xc4, 0xc8 and 0xcc are something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers that nothing belongs to: those inside of pixels, fillers. */
const isBare = (marker: number): boolean => marker === 0x00 || marker === 0x01 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);
const START_OF_PIXELS = 0xda;
const END_OF_IMAGE = 0xd9;

function jpegFacts(bytes: Buffer, step: () => void): ImageFacts | null {
  let size: Pick<ImageFacts, "width" | "height"> | null = null;
  let hasPixels = false;
  for (let at = 2; ; ) {
    step();
    // Between segments stands nothing, and pixels go on to the next marker.
    at = hasPixels ? bytes.indexOf(0xff, at) : at;
    if (at === -1 || bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    if (marker === END_OF_IMAGE) return size && hasPixels ? { type: "image/jpeg", ...size, end: at + 2 } : null;
    if (isBare(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (isFrame(marker)) size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === START_OF_PIXELS) hasPixels = true;
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}

function gifFacts(bytes: Buffer, step: () => void): ImageFacts | null {
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (from: number): number => {
    let at = from;
    for (let length = bytes.readUInt8(at); length !== 0; length = bytes.readUInt8(at)) {
      step();
      at += length + 1;
    }
    return at + 1;
  };
  let hasPixels = false;
  for (let at = 13 + colours(bytes.readUInt8(10)); ; ) {
    step();
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) return hasPixels ? { type: "image/gif", ...size, end: at + 1 } : null;
    if (kind === 0x21) at = afterBlocks(at + 2);
    else if (kind === 0x2c) {
      at = afterBlocks(at + 11 + colours(bytes.readUInt8(at + 9)));
      hasPixels = true;
    } else return null;
  }
}

function webpFacts(bytes: Buffer): ImageFacts | null {
  const end = 8 + bytes.readUInt32LE(4);
  const about = { type: "image/webp", end } as const;
  const kind = name(bytes, 12);
  if (kind === "VP8X") return { ...about, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return bytes.readUInt8(20) === 0x2f ? { ...about, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) } : null;
  }
  if (kind !== "VP8 " || bytes.readUIntBE(23, 3) !== 0x9d012a) return null;
  return { ...about, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

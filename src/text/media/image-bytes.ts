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
/** Each is unpacked to the size of the whole image. */
const MOST_FRAMES = 1000;

type Size = Pick<ImageFacts, "width" | "height">;
const fits = (frame: Size, screen: Size): boolean => frame.width <= screen.width && frame.height <= screen.height;

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
    if (kind === "IDAT" && bytes.readUInt32BE(at) > 0) hasPixels = true;
    if (kind === "IHDR" && at !== 8) return null;
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
  let size: Size | null = null;
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
    if (isFrame(marker)) {
      const frame = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
      // Which of two sizes holds, each program decides for itself.
      if (size && (size.width !== frame.width || size.height !== frame.height)) return null;
      size = frame;
    }
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
  let frames = 0;
  for (let at = 13 + colours(bytes.readUInt8(10)); ; ) {
    step();
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) return frames > 0 ? { type: "image/gif", ...size, end: at + 1 } : null;
    if (kind === 0x21) at = afterBlocks(at + 2);
    else if (kind === 0x2c) {
      const [left, top, width, height] = [1, 3, 5, 7].map((part) => bytes.readUInt16LE(at + part)) as [number, number, number, number];
      if (++frames > MOST_FRAMES || !fits({ width: left + width, height: top + height }, size)) return null;
      at = afterBlocks(at + 11 + colours(bytes.readUInt8(at + 9)));
    } else return null;
  }
}

function webpFacts(bytes: Buffer, step: () => void): ImageFacts | null {
  const end = 8 + bytes.readUInt32LE(4);
  const about = { type: "image/webp", end } as const;
  if (name(bytes, 12) !== "VP8X") {
    const size = webpPixels(bytes, 12, end);
    return size && { ...about, ...size };
  }
  const size = { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  let frames = 0;
  for (let at = 12; at + 8 <= end; at = nextChunk(bytes, at)) {
    step();
    const kind = name(bytes, at);
    // Of a moving image, each frame has chunks of its own behind sixteen bytes.
    const isFrame = kind === "ANMF";
    if (!isFrame && !isPixels(kind)) continue;
    const frame = isFrame ? framePixels(bytes, at + 24, nextChunk(bytes, at), step) : webpPixels(bytes, at, end);
    if (++frames > MOST_FRAMES || frame === null || !fits(frame, size)) return null;
  }
  return frames > 0 ? { ...about, ...size } : null;
}

const isPixels = (kind: string): boolean => kind === "VP8 " || kind === "VP8L";
/** Chunks of an odd length are followed by a byte of nothing. */
const nextChunk = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt32LE(at + 4);
  return at + 8 + length + (length % 2);
};

function framePixels(bytes: Buffer, from: number, end: number, step: () => void): Size | null {
  for (let at = from; at + 8 <= end; at = nextChunk(bytes, at)) {
    step();
    if (isPixels(name(bytes, at))) return webpPixels(bytes, at, end);
  }
  return null;
}

/** The size that the pixels themselves give. */
function webpPixels(bytes: Buffer, at: number, end: number): Size | null {
  const [kind, length, inside] = [name(bytes, at), bytes.readUInt32LE(at + 4), at + 8];
  if (inside + length > end) return null;
  if (kind === "VP8L") {
    if (length < 5 || bytes.readUInt8(inside) !== 0x2f) return null;
    const bits = bytes.readUInt32LE(inside + 1);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (kind !== "VP8 " || length < 10 || bytes.readUIntBE(inside + 3, 3) !== 0x9d012a) return null;
  return { width: bytes.readUInt16LE(inside + 6) & 0x3fff, height: bytes.readUInt16LE(inside + 8) & 0x3fff };
}

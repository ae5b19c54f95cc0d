import { deflateSync } from "node:zlib";

// Small images and recordings as programs write them.

const chunk = (name: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name, "latin1"), data, Buffer.alloc(4)]);
};

/** `extra`: bytes of a chunk that nobody reads, to make it larger. */
export function png(width = 4, height = 3, extra = 0): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    ...(extra > 0 ? [chunk("prIV", Buffer.alloc(extra, 7))] : []),
    chunk("IDAT", deflateSync(Buffer.alloc(Math.min(1000, height * (width + 1))))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function jpeg(width = 5, height = 6): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2]),
    Buffer.from([0xff, 0xc0, 0, 8, 8]),
    size,
    Buffer.from([0]),
    Buffer.from([0xff, 0xda, 0, 3, 0, 0x11, 0xff, 0x00, 0x22, 0xff, 0xd0, 0x33, 0xff, 0xd9]),
  ]);
}

export function gif(width = 7, height = 8): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from("GIF89a", "latin1"),
    size,
    Buffer.from([0x80, 0, 0, 1, 2, 3, 4, 5, 6]),
    Buffer.from([0x21, 0xf9, 2, 9, 9, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0, 0x3b]),
  ]);
}

const riff = (name: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name, "latin1"), length, data, Buffer.alloc(data.length % 2)]);
};

/** The pixels of a WebP image, which have a size of their own. */
export function webpPixels(width = 9, height = 10): Buffer {
  const data = Buffer.alloc(6, 7);
  data.writeUInt8(0x2f, 0);
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  return riff("VP8L", data);
}

/** `chunks`: what follows the size of the whole. */
export function webp(width = 9, height = 10, chunks: readonly Buffer[] = [webpPixels(width, height)]): Buffer {
  const size = Buffer.alloc(10);
  size.writeUIntLE(width - 1, 4, 3);
  size.writeUIntLE(height - 1, 7, 3);
  return riff("RIFF", Buffer.concat([Buffer.from("WEBP"), riff("VP8X", size), ...chunks]));
}

/** A frame of a moving WebP image. */
export const webpFrame = (pixels = webpPixels()): Buffer => riff("ANMF", Buffer.concat([Buffer.alloc(16), pixels]));

export function wav(seconds = 0.5): Buffer {
  const data = Buffer.alloc(Math.round(seconds * 8000));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** 128 kbit/s. */
export const mp3 = (seconds = 1): Buffer => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(16_000 * seconds - 4)]);

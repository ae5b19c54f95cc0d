const BLOCK = 1024 * 1024;
const MOST_BLOCKS = 64;
const NEWLINE = 0x0a;

/** The output of a program, within a fixed amount of memory: its beginning and its end. The bytes between are counted. */
export interface Capture {
  add(bytes: Buffer): void;
  lines(): number;
  /** Bytes that are no UTF-8 become the replacement character: output is for reading. */
  text(): string;
  /** Bytes that did not fit. */
  dropped(): number;
}

export function createCapture(mostBlocks = MOST_BLOCKS, blockSize = BLOCK): Capture {
  const half = Math.ceil(mostBlocks / 2);
  const blocks: Buffer[] = [];
  let room = 0;
  let dropped = 0;
  let lines = 0;
  const open = () => {
    blocks.push(Buffer.allocUnsafeSlow(blockSize));
    room = blockSize;
    if (blocks.length <= mostBlocks) return;
    blocks.splice(half, 1);
    dropped += blockSize;
  };
  return {
    add(bytes) {
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
      for (let rest = bytes; rest.length > 0; ) {
        if (room === 0) open();
        const fits = rest.subarray(0, room);
        fits.copy(blocks.at(-1)!, blockSize - room);
        room -= fits.length;
        rest = rest.subarray(fits.length);
      }
    },
    lines: () => lines,
    text() {
      const last = blocks.length - 1;
      const used = blocks.map((block, n) => (n === last ? block.subarray(0, blockSize - room) : block));
      if (dropped === 0) return decode(used);
      return `${decode(used.slice(0, half))}\n[${dropped} bytes left out here]\n${decode(used.slice(half))}`;
    },
    dropped: () => dropped,
  };
}

function decode(blocks: readonly Buffer[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return blocks.map((block) => decoder.decode(block, { stream: true })).join("") + decoder.decode();
}

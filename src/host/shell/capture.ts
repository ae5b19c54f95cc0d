import type { Ran, StreamSizes } from "../../core/ports/shell.ts";
import { createPace } from "../../text/pace.ts";

export type OutputStream = "stdout" | "stderr";

interface Piece {
  readonly stream: OutputStream;
  readonly bytes: Buffer;
}

export type CapturedOutput = Pick<Ran, "stdout" | "stderr" | "text" | "truncated" | "sizes">;

/**
 * What a command printed, within a fixed amount of memory: the first half of the cap, and the last. What came between is counted.
 * Both streams share the cap and keep the order in which they arrived.
 */
export interface OutputCapture {
  add(stream: OutputStream, bytes: Buffer): void;
  /** Bytes of each stream, dropped ones included. */
  sizes(): StreamSizes;
  /** In slices: others have their turn while megabytes become text. */
  result(): Promise<CapturedOutput>;
}

export function createOutputCapture(most: number): OutputCapture {
  const half = Math.max(1, Math.floor(most / 2));
  const head: Piece[] = [];
  const tail: Piece[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let dropped = 0;
  const sizes = { stdout: 0, stderr: 0 };

  const addTail = (piece: Piece) => {
    tail.push(piece);
    tailBytes += piece.bytes.length;
    while (tailBytes > half) {
      const first = tail[0]!;
      const excess = tailBytes - half;
      const cut = Math.min(excess, first.bytes.length);
      if (cut === first.bytes.length) tail.shift();
      // A copy: a slice would keep the whole chunk alive.
      else tail[0] = { stream: first.stream, bytes: Buffer.from(first.bytes.subarray(cut)) };
      tailBytes -= cut;
      dropped += cut;
    }
  };
  return {
    sizes: () => ({ ...sizes }),
    add(stream, bytes) {
      sizes[stream] += bytes.length;
      const room = half - headBytes;
      if (room > 0) {
        const fits = bytes.subarray(0, room);
        head.push({ stream, bytes: fits });
        headBytes += fits.length;
      }
      if (bytes.length > room) addTail({ stream, bytes: bytes.subarray(Math.max(0, room)) });
    },
    async result() {
      const has = (stream: OutputStream) => head.some((piece) => piece.stream === stream) || tail.some((piece) => piece.stream === stream);
      const text = await join(head, tail, dropped);
      const truncated = dropped > 0;
      if (!has("stderr")) return { stdout: text, stderr: "", text, truncated };
      return {
        stdout: await join(of("stdout", head), of("stdout", tail), dropped),
        stderr: has("stdout") || truncated ? await join(of("stderr", head), of("stderr", tail), 0) : text,
        text,
        truncated,
      };
    },
  };
}

const of = (stream: OutputStream, pieces: readonly Piece[]) => pieces.filter((piece) => piece.stream === stream);

async function join(head: readonly Piece[], tail: readonly Piece[], dropped: number): Promise<string> {
  const gap = dropped > 0 ? `\n[${dropped} bytes left out here]\n` : "";
  const parts = [...(await decode(head)), gap, ...(await decode(tail))];
  return parts.join("");
}

/** Bytes that are no UTF-8 become the replacement character: output is for reading. A character cut between pieces of one stream is whole again. */
async function decode(pieces: readonly Piece[]): Promise<string[]> {
  const pace = createPace();
  const decoders = { stdout: new TextDecoder("utf-8"), stderr: new TextDecoder("utf-8") };
  const texts: string[] = [];
  for (const { stream, bytes } of pieces) {
    texts.push(decoders[stream].decode(bytes, { stream: true }));
    await pace.step();
  }
  return [...texts, decoders.stdout.decode(), decoders.stderr.decode()];
}

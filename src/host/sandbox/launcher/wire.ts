import type { CommandLine } from "../backends/perl.ts";

/** A command as the launcher starts it: under a watchdog of its own, with nothing on its stdin. */
export interface ServedCommand extends CommandLine {
  /** The program that is the launcher. */
  readonly runner: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly group?: string | undefined;
  readonly feeds: readonly (readonly [fd: number, data: Buffer])[];
}

/** What is said to the launcher and by it, byte for byte: native/zeph-serve.c has the other side. */
const REQUEST = { start: 1, end: 2 };
/** What the launcher tells, apart from what a command wrote: that has the number of its descriptor. */
export const FRAME = { started: 256, ended: 257, failed: 258 };
const AS_WE_ARE = 0xffffffff;
const HEAD_BYTES = 12;

export function encodeStart(id: number, { file, args, env, cwd, user, group, feeds }: ServedCommand, outputs: readonly number[]): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return framed([
    numbers(REQUEST.start, id, outputs.length, ...outputs, user?.uid ?? AS_WE_ARE, user?.gid ?? AS_WE_ARE, feeds.length),
    ...feeds.flatMap(([fd, data]) => [numbers(fd, data.length), data]),
    texts([cwd, group ?? ""]),
    numbers(args.length + 1),
    texts([file, ...args]),
    numbers(variables.length),
    texts(variables),
  ]);
}

export const encodeEnd = (id: number): Buffer => framed([numbers(REQUEST.end, id)]);

const texts = (list: readonly string[]): Buffer => Buffer.from(list.map((text) => `${text}\0`).join(""));

function numbers(...list: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * list.length);
  for (const [n, value] of list.entries()) bytes.writeUInt32LE(value, 4 * n);
  return bytes;
}

function framed(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([numbers(length), ...parts], length + 4);
}

interface FrameTaker {
  /** In pieces as they come. */
  onOutput(id: number, fd: number, chunk: Buffer): void;
  onTold(id: number, what: number, bytes: Buffer): void;
}

/** Takes what the launcher says, cut anywhere. */
export function createFrameReader({ onOutput, onTold }: FrameTaker): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  /** Of the output that is being handed over. */
  let [id, fd, left] = [0, 0, 0];
  return (chunk) => {
    let at = 0;
    const bytes = kept.length > 0 ? Buffer.concat([kept, chunk]) : chunk;
    for (;;) {
      if (left > 0) {
        const piece = bytes.subarray(at, at + left);
        if (piece.length > 0) onOutput(id, fd, piece);
        left -= piece.length;
        at += piece.length;
        if (left > 0) break;
      }
      if (bytes.length - at < HEAD_BYTES) break;
      const [whose, what, length] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8)];
      if (what < FRAME.started) {
        [id, fd, left] = [whose, what, length];
        at += HEAD_BYTES;
      } else if (bytes.length - at - HEAD_BYTES < length) break;
      else {
        onTold(whose, what, bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length));
        at += HEAD_BYTES + length;
      }
    }
    kept = bytes.subarray(at);
  };
}

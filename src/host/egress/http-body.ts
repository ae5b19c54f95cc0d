import type { Framing } from "./http-head.ts";

/** Takes what a client sends after its head and hands on exactly the body. */
export interface BodyReader {
  /** What of this may go on. Throws for what is no body, and for what comes after its end: that would be a second request. */
  take(chunk: Buffer): readonly Buffer[];
}

export class BodyProblem extends Error {}

export const createBodyReader = (framing: Framing): BodyReader =>
  framing.kind === "length" ? createLengthReader(framing.bytes) : createChunkReader();

function createLengthReader(bytes: number): BodyReader {
  let left = bytes;
  return {
    take(chunk) {
      if (chunk.length > left) throw tooMuch();
      left -= chunk.length;
      return [chunk];
    },
  };
}

/** A chunk's size and what may stand behind it. Eight digits are four gigabytes, and nobody sends more in a piece. */
const SIZE_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;[\t\x20-\x7e]*)?$/i;
const LONGEST_LINE = 1024;

/** Chunks are read and written anew, so that no reader behind us finds another end than we did. Trailers are not handed on. */
function createChunkReader(): BodyReader {
  let state: "size" | "data" | "break" | "trailer" | "done" = "size";
  let line = "";
  let left = 0;
  let trailers = 0;

  /** One line up to its CR LF; null while it is not whole. */
  const lineIn = (chunk: Buffer, at: number): { readonly text: string; readonly next: number } | null => {
    const end = chunk.indexOf(10, at);
    line += chunk.toString("latin1", at, end < 0 ? chunk.length : end + 1);
    if (line.length > LONGEST_LINE) throw new BodyProblem("a line of the body is too long");
    if (end < 0) return null;
    const text = line;
    line = "";
    if (!text.endsWith("\r\n") || /[\r\n]/.test(text.slice(0, -2))) throw new BodyProblem("a line of the body does not end as it must");
    return { text: text.slice(0, -2), next: end + 1 };
  };
  const takeSize = (text: string): Buffer[] => {
    const size = SIZE_LINE.exec(text)?.[1];
    if (size === undefined) throw new BodyProblem("a chunk of the body has no size");
    left = Number.parseInt(size, 16);
    state = left === 0 ? "trailer" : "data";
    return left === 0 ? [] : [Buffer.from(`${left.toString(16)}\r\n`)];
  };
  const takeTrailer = (text: string): Buffer[] => {
    trailers += text.length + 2;
    if (trailers > LONGEST_LINE) throw new BodyProblem("there is too much behind the body");
    if (text !== "") return [];
    state = "done";
    return [Buffer.from("0\r\n\r\n")];
  };
  const takers = {
    size: takeSize,
    trailer: takeTrailer,
    break(text: string): Buffer[] {
      if (text !== "") throw new BodyProblem("a chunk of the body is longer than it says");
      state = "size";
      return [Buffer.from("\r\n")];
    },
  };
  return {
    take(chunk) {
      const out: Buffer[] = [];
      for (let at = 0; at < chunk.length; ) {
        if (state === "done") throw tooMuch();
        if (state === "data") {
          const part = chunk.subarray(at, at + left);
          out.push(part);
          at += part.length;
          left -= part.length;
          if (left === 0) state = "break";
          continue;
        }
        const whole = lineIn(chunk, at);
        if (!whole) break;
        out.push(...takers[state](whole.text));
        at = whole.next;
      }
      return out;
    },
  };
}

const tooMuch = () => new BodyProblem("there is more than one request in this connection");

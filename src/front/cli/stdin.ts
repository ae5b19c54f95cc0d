import { addAbortSignal, type Readable } from "node:stream";
import { attempt } from "../../text/attempt.ts";
import { UsageError } from "./io.ts";

const MB = 1024 * 1024;
const MOST = 64 * MB;
const NEWLINE = 0x0a;

/** Everything on stdin as text. */
export async function readText(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST) throw new UsageError(`What came on stdin is larger than ${MOST / MB} MB. Nothing was run.`);
    chunks.push(chunk);
  }
  return decodeStdin(Buffer.concat(chunks));
}

export function decodeStdin(bytes: Buffer): string {
  const text = decode(bytes);
  if (text === null) throw new UsageError("What came on stdin is not UTF-8 text. Nothing was run.");
  return text;
}

/** A line, or why it is none. `typed`: as it stood at the prompt, where a word stood there for what was pasted. */
export type InputLine = { readonly text: string; readonly typed?: string } | { readonly problem: string };

/** Line by line, never holding more than one line and a chunk. Ends early, without an error, when `signal` says so. */
export async function* readInputLines(input: Readable, signal: AbortSignal): AsyncGenerator<InputLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer) => {
    size += part.length;
    if (size <= MOST) parts.push(part);
    else parts = [];
  };
  const take = (): InputLine => {
    const line = size > MOST ? { problem: `The line is longer than ${MOST / MB} MB.` } : lineOf(Buffer.concat(parts));
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of until(signal, input)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      yield take();
    }
    add(chunk.subarray(from));
  }
  if (size > 0 && !signal.aborted) yield take();
}

async function* until(signal: AbortSignal, input: Readable): AsyncGenerator<Buffer> {
  try {
    yield* addAbortSignal(signal, input) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function lineOf(bytes: Buffer): InputLine {
  const text = decode(bytes);
  return text === null ? { problem: "The line is not UTF-8 text." } : { text };
}

/** Null when it is no UTF-8: to guess would change what somebody wrote. */
const decode = (bytes: Buffer): string | null => attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes), null);

import { closeSync, constants, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { runProgramNow } from "../../files/programs.ts";

/** A pipe with a name, read all the time. Whoever writes to it never waits, and fills nothing. */
export interface Pipe {
  readonly path: string;
  /** What has come so far; what was too much is dropped. */
  taken(): Buffer;
  close(): void;
}

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const CHUNK = 64 * 1024;
/** Somebody may write faster than it can be read here. */
const MOST_READS = 64;

const makeNamed = (path: string): void =>
  void runProgramNow("mkfifo", ["-m", "600", path], { stdio: "ignore", env: { PATH: "/usr/bin:/bin" } });

/** A pipe with a name that ends when it is closed here, or when this process is gone: for whoever wants to know that. */
export function openLifeline(path: string): { readonly path: string; close(): void } {
  makeNamed(path);
  // Both ends: to open one alone would wait for somebody, or fail.
  const fd = openSync(path, constants.O_RDWR | O_NONBLOCK);
  return { path, close: () => closeSync(fd) };
}

export function openPipe(path: string, most: number): Pipe {
  makeNamed(path);
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  // A second end of our own: without it the pipe would seem to have ended before anybody came.
  const own = openSync(path, O_WRONLY | O_NONBLOCK);
  const kept: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    const part = chunk.subarray(0, most - bytes);
    if (part.length > 0) kept.push(Buffer.from(part));
    bytes += part.length;
  };
  const reader = new Socket({ fd, readable: true, writable: false });
  reader.on("error", () => {}).on("data", take);
  reader.unref();
  return {
    path,
    taken() {
      for (let n = 0; n < MOST_READS && bytes < most && drain(fd, take); n++);
      return Buffer.concat(kept);
    },
    close() {
      reader.destroy();
      closeSync(own);
    },
  };
}

/** What has not been told yet. False when there is nothing more. */
function drain(fd: number, take: (chunk: Buffer) => void): boolean {
  const chunk = Buffer.alloc(CHUNK);
  try {
    const count = readSync(fd, chunk, 0, chunk.length, null);
    take(chunk.subarray(0, count));
    return count > 0;
  } catch {
    return false;
  }
}

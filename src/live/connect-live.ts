import { closeSync, constants, openSync, readSync } from "node:fs";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { attempt } from "../text/attempt.ts";
import { parseJson, record } from "../text/json.ts";
import { JsonLines } from "../text/json-lines.ts";
import { makeOnce } from "../text/make-once.ts";
import { liveAddress } from "./live-folder.ts";
import { type AnswerLine, type LiveLine, LONGEST_LINE } from "./wire.ts";

/** A connection to a running process. */
export interface LiveConnection {
  answer(line: AnswerLine): void;
  close(): void;
}

export interface LiveConnectionParts {
  readonly folder: string;
  readonly pid: number;
  line(line: LiveLine): void;
  /** It ended, or there never was one. Told once. */
  gone(): void;
}

/** Connects to the process of this number and shows which process this one is. */
export function openLiveConnection({ folder, pid, line: tell, gone }: LiveConnectionParts): LiveConnection {
  const address = attempt(() => liveAddress(folder, pid), null);
  const lines = new JsonLines(LONGEST_LINE);
  const socket = connect({ path: address?.path ?? join(folder, `${pid}.sock`) });
  const held: number[] = [];
  const send = (line: object) => void socket.write(`${JSON.stringify(line)}\n`);
  const take = (text: string) => {
    const line = record(parseJson(text)) as LiveLine;
    if (line.type === "prove") {
      const proof = hold(folder, line.file);
      if (!proof) return void socket.destroy();
      held.push(proof.fd);
      return send({ pid: process.pid, text: proof.text });
    }
    // Whoever is let in, or is not, needs the file no longer.
    for (const fd of held.splice(0)) closeSync(fd);
    tell(line);
  };
  socket.on("error", () => socket.destroy());
  const release = makeOnce(() => address?.close());
  socket.once("connect", release);
  socket.once("close", () => {
    release();
    for (const fd of held.splice(0)) closeSync(fd);
    gone();
  });
  socket.on("data", (chunk: Buffer) => {
    for (const line of lines.read(chunk)) {
      if (socket.destroyed) return;
      if ("tooLong" in line) socket.destroy();
      else take(line.text);
    }
  });
  return { answer: send, close: () => void socket.destroy() };
}

const LONGEST_PROOF = 200;

/** Opens the file that the other side named, for writing: nobody opens it like that by chance. It is read, never written. */
function hold(folder: string, file: unknown): { readonly fd: number; readonly text: string } | null {
  if (typeof file !== "string" || basename(file) !== file || !/^\d+-\w+\.proof$/.test(file)) return null;
  return attempt(() => {
    const fd = openSync(join(folder, file), constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    const bytes = Buffer.alloc(LONGEST_PROOF);
    return { fd, text: bytes.toString("utf8", 0, readSync(fd, bytes, 0, LONGEST_PROOF, 0)) };
  }, null);
}

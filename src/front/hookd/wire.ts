import { isRecord, parseJson } from "../../text/json.ts";

/** The longest line that is read. Who sends more is refused. */
export const LONGEST_HOOK_LINE = 8 * 1024 * 1024;

/** What a client of hookd wants. `version` is that of the package the client belongs to. */
export type HookdRequest = { readonly version: string | null; readonly frames: boolean; readonly lenient: boolean } & (
  | { readonly kind: "hello" }
  | { readonly kind: "hook"; readonly call: HookdCall }
  | { readonly kind: "exec"; readonly call: ExecCall }
);

/** A question of an agent, as it was put. */
export interface HookdCall {
  readonly v: 1;
  readonly client: string;
  readonly event: string;
  readonly cwd: string;
  readonly input: unknown;
  readonly tty: boolean;
  /** A person chose that calls are made where there is no answer. */
  readonly lenient: boolean;
}

/** What is printed, and the exit code. */
export interface HookdAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** A command to be run. Without words it is the one the ticket was made for. */
export interface ExecCall {
  readonly cwd: string;
  readonly words: readonly string[];
  readonly ticket: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
}

/** The request in a line; a text says why it is none. */
export function readRequest(line: string): HookdRequest | string {
  const said = parseJson(line);
  if (!isRecord(said)) return "that is no JSON object";
  if (said.v !== 1) return "it speaks another language (v)";
  const head = { version: typeof said.zeph === "string" ? said.zeph : null, frames: said.frames === true, lenient: said.lenient === true };
  if (said.hello === true) return { ...head, kind: "hello" };
  const { cwd } = said;
  if (typeof cwd !== "string" || !cwd.startsWith("/")) return "it does not say where (cwd)";
  if (said.exec !== undefined) {
    const { exec, ticket = null, env = {} } = said;
    if (!isTexts(exec)) return "its command is no list of words (exec)";
    if (ticket !== null && typeof ticket !== "string") return "its ticket is no text (ticket)";
    if (!isRecord(env) || !isTexts(Object.values(env))) return "its variables are no texts (env)";
    return {
      ...head,
      kind: "exec",
      call: { cwd, words: exec, ticket, env: env as Readonly<Record<string, string>>, stdin: said.stdin === true },
    };
  }
  const { client, event, input, tty } = said;
  if (typeof client !== "string" || typeof event !== "string") return "it does not say which client and event";
  return { ...head, kind: "hook", call: { v: 1, client, event, cwd, input, tty: tty === true, lenient: head.lenient } };
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

/** Printed on stdout, on stderr; the exit code, one byte; a command was taken; an answer takes longer; this hookd was replaced by another version and ends. */
export const TO_CLIENT = { out: "o", error: "e", exit: "x", taken: "g", longer: "w", again: "a" } as const;
/** What a command is to read, nothing at its end; a signal, one byte. */
export const FROM_CLIENT = { input: "i", signal: "s" } as const;

const HEAD = 5;
const LONGEST_FRAME = 1024 * 1024;

/** A letter, four bytes of length, and the bytes. Long ones are cut into several. */
export function encodeFrames(letter: string, bytes: Uint8Array): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += LONGEST_FRAME) {
    const piece = bytes.subarray(at, at + LONGEST_FRAME);
    const head = Buffer.alloc(HEAD);
    head.write(letter, 0, "latin1");
    head.writeUInt32BE(piece.length, 1);
    pieces.push(head, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
  }
  return Buffer.concat(pieces);
}

/** Hands on each whole frame. Returns false for what can be none. */
export function createFrames(onFrame: (letter: string, bytes: Buffer) => void): (chunk: Buffer) => boolean {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= HEAD) {
      const length = held.readUInt32BE(1);
      if (length > LONGEST_FRAME) return false;
      if (held.length < HEAD + length) return true;
      const [letter, bytes] = [held.toString("latin1", 0, 1), held.subarray(HEAD, HEAD + length)];
      held = held.subarray(HEAD + length);
      onFrame(letter, bytes);
    }
    return true;
  };
}

import type { Socket } from "node:net";
import type { RunningCommand } from "../../core/ports/shell.ts";
import { Bytes } from "../../text/bytes.ts";
import { waitWithin } from "../../text/wait-within.ts";
import {
  createFrames,
  type ExecCall,
  encodeFrames,
  FROM_CLIENT,
  type HookdAnswer,
  type HookdCall,
  type HookdRequest,
  LONGEST_HOOK_LINE,
  readRequest,
  TO_CLIENT,
} from "./wire.ts";

/** Who answers. Neither may throw a denial away: what fails here is one. */
export interface HookdWork {
  /** `longer` is called where a model is asked, which takes its time. */
  answer(call: HookdCall, during: { readonly signal: AbortSignal; longer(): void; readonly from: Connection }): Promise<HookdAnswer>;
  exec(call: ExecCall, streams: ExecStreams, signal: AbortSignal, from: Connection): Promise<number>;
  /** Whether a client of another version is that of a package which a person put in place of this one's. What the client says is no proof of it. */
  isReplaced(from: Connection): Promise<boolean>;
  /** For whoever asks how it is. */
  state(): Readonly<Record<string, unknown>>;
}

/** By which the system tells who asks. */
export interface Connection {
  readonly socket: Socket;
  /** By `performance.now()`. */
  readonly acceptedAt: number;
}

/** The other end of a command: what it prints, and what comes for it. */
export interface ExecStreams {
  print(bytes: Uint8Array, stream: "stdout" | "stderr"): void;
  /** What was typed and which signals came, from the beginning. */
  attach(running: RunningCommand): void;
}

export interface HookdLimits {
  /** For the line of a request. */
  readonly lineMs: number;
  readonly answerMs: number;
  readonly longerMs: number;
}

export interface HookdRequestParts extends HookdLimits {
  readonly version: string;
  readonly work: HookdWork;
  /** The package is another one by now: this process is to end. */
  outdated(): void;
}

/** What may wait for a client that does not read. */
const MOST_UNREAD = 64 * 1024 * 1024;
const DENIED = 2;
/** No answer, where a person chose that this lets calls run: what follows stands in the command line of the hook. */
const FAILED = 1;
const LOOK_MS = 1000;

/** One request over one connection. Resolves when it is over, and never rejects. */
export async function serveHookdRequest(socket: Socket, parts: HookdRequestParts): Promise<void> {
  const gone = new AbortController();
  const from = { socket, acceptedAt: performance.now() };
  socket.on("error", () => socket.destroy());
  socket.once("close", () => gone.abort());
  const line = await readLine(socket, parts.lineMs);
  if (line === null || gone.signal.aborted) return void socket.destroy();
  const request = "why" in line ? line.why : readRequest(line.text);
  if (typeof request === "string") return finish(socket, false, refusal(request));
  if (request.version !== null && request.version !== parts.version && (await parts.work.isReplaced(from).catch(() => false))) {
    // First it gives its place up: whoever is sent away looks for the next one at once.
    parts.outdated();
    return request.frames ? void socket.end(encodeFrames(TO_CLIENT.again, NOTHING)) : finish(socket, false, refusal("another version"));
  }
  try {
    if (request.kind === "hello")
      return void socket.end(`${JSON.stringify({ version: parts.version, pid: process.pid, ...parts.work.state() })}\n`);
    if (request.kind === "exec") return await runExec(from, request, line.rest, parts, gone.signal);
    return finish(socket, request.frames, await answered(from, request, parts, gone.signal));
  } catch (error) {
    finish(socket, request.frames, refusal((error as Error).message, request.lenient));
  }
}

const NOTHING = Buffer.alloc(0);
const refusal = (why: string, lenient = false): HookdAnswer => ({
  stdout: "",
  stderr: `zeph did not answer (${why}); ${lenient ? "on failure calls are let through" : "the call is not made"}\n`,
  exit: lenient ? FAILED : DENIED,
});

/** An answer that comes too late is a denial. */
async function answered(
  from: Connection,
  { frames, call, lenient }: Extract<HookdRequest, { kind: "hook" }>,
  { work, answerMs, longerMs }: HookdRequestParts,
  signal: AbortSignal,
): Promise<HookdAnswer> {
  let grant: (ms: number) => void = () => {};
  const longer = new Promise<number>((resolve) => {
    grant = resolve;
  });
  const answering = work.answer(call, {
    signal,
    from,
    longer() {
      if (frames) from.socket.write(encodeFrames(TO_CLIENT.longer, NOTHING));
      grant(longerMs);
    },
  });
  const first = await waitWithin(Promise.race([answering, longer]), answerMs, null, signal);
  const said = typeof first === "number" ? await waitWithin(answering, longerMs, null, signal) : first;
  if (said === null) answering.catch(() => {});
  return said ?? refusal(`no answer within ${(typeof first === "number" ? longerMs : answerMs) / 1000} s`, lenient);
}

function finish(socket: Socket, frames: boolean, { stdout, stderr, exit }: HookdAnswer): void {
  if (!frames) return void socket.end(`${JSON.stringify({ stdout, stderr, exit })}\n`);
  const print = (letter: string, text: string) => (text === "" ? NOTHING : encodeFrames(letter, Buffer.from(text)));
  socket.end(
    Buffer.concat([print(TO_CLIENT.out, stdout), print(TO_CLIENT.error, stderr), encodeFrames(TO_CLIENT.exit, Buffer.from([exit]))]),
  );
}

async function runExec(
  from: Connection,
  { call }: Extract<HookdRequest, { kind: "exec" }>,
  rest: Buffer,
  { work }: HookdRequestParts,
  gone: AbortSignal,
): Promise<void> {
  const { socket } = from;
  const stop = new AbortController();
  const inbox = createInbox(socket, () => stop.abort());
  const feed = createFrames(inbox.take);
  const read = (chunk: Buffer) => void (feed(chunk) || socket.destroy());
  read(rest);
  socket.once("end", () => stop.abort());
  socket.on("data", read).resume();
  const sayTaken = () => void (socket.destroyed || socket.write(encodeFrames(TO_CLIENT.taken, NOTHING)));
  sayTaken();
  // Nothing is read from a client that sends faster than its command reads; that it is gone is told by a write.
  const look = setInterval(() => void (socket.isPaused() && sayTaken()), LOOK_MS);
  const streams: ExecStreams = {
    print(bytes, stream) {
      if (socket.destroyed) return;
      if (socket.writableLength > MOST_UNREAD) return void socket.destroy();
      socket.write(encodeFrames(stream === "stdout" ? TO_CLIENT.out : TO_CLIENT.error, bytes));
    },
    attach: inbox.attach,
  };
  // A command does not outlive whoever waits for it.
  const exit = await work.exec(call, streams, AbortSignal.any([gone, stop.signal]), from).finally(() => clearInterval(look));
  socket.end(encodeFrames(TO_CLIENT.exit, Buffer.from([inbox.lastSignal() ?? exit])));
}

/** Keeps what comes for a command until it runs. A signal that finds nobody ends the call. */
function createInbox(socket: Socket, end: () => void) {
  let running: RunningCommand | null = null;
  let ended: number | null = null;
  const early: (() => void)[] = [];
  const act = (letter: string, bytes: Buffer) => {
    if (letter === FROM_CLIENT.signal && bytes.length === 1) {
      if (running?.signal(bytes[0]!)) return;
      ended = 128 + bytes[0]!;
      return end();
    }
    if (letter !== FROM_CLIENT.input) return void socket.destroy();
    if (bytes.length === 0) return running?.end();
    if (running && !running.write(bytes, () => socket.resume())) socket.pause();
  };
  return {
    take(letter: string, bytes: Buffer) {
      if (running || letter === FROM_CLIENT.signal) return act(letter, bytes);
      // A client sends no more before a command runs than fits into one read; the rest waits in the system.
      early.push(() => act(letter, bytes));
      socket.pause();
    },
    attach(command: RunningCommand) {
      running = command;
      socket.resume();
      for (const one of early.splice(0)) one();
    },
    /** Null unless a signal ended the call. */
    lastSignal: () => ended,
  };
}

/** The first line, and what came behind it; null where none comes. */
function readLine(
  socket: Socket,
  ms: number,
): Promise<{ readonly text: string; readonly rest: Buffer } | { readonly why: string; readonly rest: Buffer } | null> {
  return new Promise((resolve) => {
    const held = new Bytes(LONGEST_HOOK_LINE);
    let length = 0;
    const timer = setTimeout(() => done(null), ms);
    const done = (found: Parameters<typeof resolve>[0]) => {
      clearTimeout(timer);
      socket.off("data", read).off("close", close).pause();
      resolve(found);
    };
    const close = () => done(null);
    const read = (chunk: Buffer) => {
      const end = chunk.indexOf(0x0a);
      const piece = end === -1 ? chunk : chunk.subarray(0, end);
      length += piece.length;
      if (length > LONGEST_HOOK_LINE) return done({ why: "the line is longer than 8 MiB", rest: NOTHING });
      held.add(piece);
      if (end === -1) return;
      const rest = chunk.subarray(end + 1);
      try {
        done({ text: new TextDecoder("utf-8", { fatal: true }).decode(held.bytes()), rest });
      } catch {
        done({ why: "the line is no UTF-8", rest });
      }
    };
    socket.on("data", read).once("close", close).once("end", close);
  });
}

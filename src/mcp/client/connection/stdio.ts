import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Serve, Served, ServedEnd, ServedProgram } from "../../../core/ports/served.ts";
import type { Walls } from "../../../core/ports/walls.ts";
import { unlessAborted } from "../../../text/abort.ts";
import { record } from "../../../text/json.ts";
import { JsonLines, type LongLine } from "../../../text/json-lines.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import { inALine } from "../trust/hidden-text.ts";
import { mendBlocks } from "./mend-blocks.ts";
import { Outstanding } from "./outstanding.ts";

/** A message is one line, and none that is longer than this is read. */
export const MOST_BYTES = 16 * 1024 * 1024;
/** A longer line is dropped up to its end; one that seems to have no end is the end of the server. */
const MOST_IN_A_LINE = 64 * 1024 * 1024;
/** Lines that are no messages: some programs print a greeting. */
const MOST_GARBAGE = 1000;
const MOST_GARBAGE_BYTES = 1024 * 1024;

const MOST_TOO_LONG = 10;

/** A program that takes no more input has this long to end. */
const END_MS = 2000;

/** Bytes that wait for a program that does not read. */
const MOST_UNREAD = 64 * 1024 * 1024;

type Parse = (value: unknown) => JSONRPCMessage;
/** Takes out what nobody may read. */
type Scrub = (text: string) => string;

/** Newline-delimited JSON with a program behind the walls. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Why it ended, where we did not end it ourselves. */
  reason: string | null = null;
  /** Its program has ended. */
  gone: Promise<void> = Promise.resolve();
  /** The SDK tells a program from an address by these two. */
  readonly stderr = null;
  get pid(): number | null {
    return this.#served?.pid ?? null;
  }
  get walls(): Walls | undefined {
    return this.#served?.walls;
  }
  /** So long it may take besides, until all that it is made of has come. */
  get fetchMs(): number {
    return this.#served?.fetchMs ?? 0;
  }
  look = (): readonly string[] => this.#served?.look?.() ?? [];

  readonly #serve: Serve;
  readonly #program: ServedProgram;
  readonly #parse: Parse;
  readonly #scrub: Scrub;
  readonly #open = new Outstanding();
  #served: Served | null = null;
  #closed = false;
  readonly #lines = new JsonLines(MOST_BYTES);
  /** Lines too long to be read that answer nothing we asked. */
  #tooLong = 0;
  /** Bytes that were sent and not taken yet. */
  #unread = 0;
  /** The first line it wrote that is not the protocol, as it may be shown. */
  strange: string | null = null;
  #garbage = 0;
  #garbageBytes = 0;

  constructor(serve: Serve, program: ServedProgram, { parse, scrub }: { readonly parse: Parse; readonly scrub: Scrub }) {
    this.#serve = serve;
    this.#program = program;
    this.#parse = parse;
    this.#scrub = scrub;
  }

  /** Starts the program; it is not listened to yet. */
  async open(signal: AbortSignal): Promise<void> {
    const starting = this.#serve(this.#program).then(async (served) => {
      if (this.#closed) return void (await served.stop());
      this.#served = served;
      this.gone = served.ended.then(() => {});
    });
    await unlessAborted(starting, signal, () => {
      this.#end(null);
      throw new Error("It was cancelled.");
    });
  }

  async start(): Promise<void> {
    const served = this.#served;
    if (served === null) return;
    served.onOutput = (chunk) => this.#read(chunk);
    void served.ended.then((end) => this.#tellEnd(end));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const served = this.#served;
    if (served === null || this.#closed) throw new NotDelivered(this.reason ?? "it is not running");
    const line = `${JSON.stringify(message)}\n`;
    if (this.#unread + line.length > MOST_UNREAD) throw new NotDelivered("it does not read its standard input");
    this.#open.sent(message);
    this.#unread += line.length;
    try {
      await served.write(line);
    } catch (error) {
      if ("method" in message && "id" in message) this.#open.failed(message.id);
      // Most that take nothing any more have ended, and how they did says more.
      await waitAtMost(
        served.ended.then((end) => this.#tellEnd(end)),
        END_MS,
      );
      throw new NotDelivered(this.reason ?? "it takes no more input", { cause: error });
    } finally {
      this.#unread -= line.length;
    }
  }

  async close(): Promise<void> {
    const served = this.#served;
    this.#end(null);
    await served?.stop();
  }

  #tellEnd(end: ServedEnd): void {
    const how = endText(end, this.#scrub);
    const isSilent = end.said.trim() === "" && this.strange !== null;
    this.#end(isSilent ? `${how}: it wrote what is not the protocol: ${JSON.stringify(this.strange)}` : how);
  }

  #end(reason: string | null): void {
    if (this.#closed) return;
    this.#closed = true;
    this.reason = reason;
    this.#lines.clear();
    this.onclose?.();
  }

  /** Whatever it does wrong: it is stopped, and everybody who waits is told why. */
  #give(up: string): void {
    const served = this.#served;
    this.#end(up);
    void served?.stop().catch(() => {});
  }

  #read(chunk: Uint8Array): void {
    for (const line of this.#lines.read(chunk)) {
      if (this.#closed) return;
      if ("text" in line) this.#line(line.text);
      else this.#leaveOut(line.tooLong);
    }
    if (this.#lines.length > MOST_IN_A_LINE)
      this.#give(`sent more than ${MOST_IN_A_LINE / 1024 / 1024} MiB without a line's end, and was stopped`);
  }

  /** One answer that is too long is the end of that call, not of the server; one that cannot be told from noise counts as noise. */
  #leaveOut({ id, kind }: LongLine): void {
    const message = `its message is longer than ${MOST_BYTES / 1024 / 1024} MiB and was not read`;
    if (kind === "answer" && id !== null && this.#open.waits(id)) {
      const answer: JSONRPCMessage = { jsonrpc: "2.0", id, error: { code: -32_603, message } };
      if (this.#open.takes(answer)) this.onmessage?.(answer);
      return;
    }
    if (kind === "request" && id !== null)
      void this.send({ jsonrpc: "2.0", id, error: { code: -32_600, message: `The ${message.slice(4)}.` } }).catch(() => {});
    if (++this.#tooLong > MOST_TOO_LONG)
      this.#give(`sent ${MOST_TOO_LONG} messages of more than ${MOST_BYTES / 1024 / 1024} MiB, and was stopped`);
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    for (const message of this.#messages(line)) {
      if (this.#closed) return;
      if (!this.#open.takes(message)) continue;
      try {
        this.onmessage?.(mendBlocks(message));
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }

  /** Revision 2025-03-26 had several messages in one line. */
  #messages(line: string): JSONRPCMessage[] {
    try {
      const value: unknown = JSON.parse(line);
      return (Array.isArray(value) ? value : [value]).map((one) => this.#message(one));
    } catch {
      this.#garbage++;
      this.strange ??= this.#scrub(inALine(line, 100));
      this.#garbageBytes += line.length;
      if (this.#garbage > MOST_GARBAGE || this.#garbageBytes > MOST_GARBAGE_BYTES)
        this.#give("wrote other things than the protocol to its standard output, and was stopped");
      return [];
    }
  }

  /** A message. One that is meant as an answer and is none ends the waiting for it. */
  #message(value: unknown): JSONRPCMessage {
    try {
      return this.#parse(value);
    } catch (error) {
      const { id, method } = record(value);
      if (method !== undefined || (typeof id !== "number" && typeof id !== "string") || !this.#open.waits(id)) throw error;
      return { jsonrpc: "2.0", id, error: { code: -32_603, message: "its answer does not follow the protocol" } };
    }
  }
}

/** The message did not reach the server. */
export class NotDelivered extends Error {
  override readonly name = "NotDelivered";
}

/** Scrubbed before it is cut: half a secret is one that nobody finds. */
function endText({ exitCode, signal, said }: ServedEnd, scrub: Scrub): string {
  const how = signal !== undefined ? `ended (${signal})` : `ended (exit ${exitCode ?? "unknown"})`;
  const last = worthReading(scrub(said).trim().split("\n"));
  return last === "" ? how : `${how}: ${last}`;
}

/** The error and what follows it, where there is one; else the end. Where in a program it came about helps nobody here. */
function worthReading(lines: readonly string[]): string {
  const npm = lines
    .flatMap((line) => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1] ?? [])
    .filter((line) => !/A complete log of this/.test(line));
  if (npm.length > 0) return npm.slice(0, MOST_LINES).join(" / ").slice(0, MOST_SHOWN).toWellFormed();
  const errorAt = ERRORS.map((error) => lines.findLastIndex((line) => error.test(line))).find((at) => at !== -1);
  if (errorAt === undefined) return lines.slice(-MOST_LINES).join(" / ").slice(-MOST_SHOWN).toWellFormed();
  const told = lines.slice(errorAt).filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
  return told.slice(0, MOST_LINES).join(" / ").slice(0, MOST_SHOWN).toWellFormed();
}

/** At the beginning of a line, as most languages write it; else anywhere. */
const ERRORS = [/^(?:Uncaught )?[\w.$]{0,100}(?:Error|Exception)\b/, /Error|\berror:/];
const MOST_LINES = 5;
const MOST_SHOWN = 500;

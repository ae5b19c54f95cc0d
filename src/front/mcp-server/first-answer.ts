import type { Readable, Writable } from "node:stream";
import { attempt } from "../../text/attempt.ts";
import { isRecord, record } from "../../text/json.ts";
import { greetingFor } from "./greeting.ts";

/** A client was answered before the server was there: the server's own answer to this request is left out. */
export interface FirstAnswer {
  readonly id: string | number;
}

export interface FirstPipes {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Pick<Writable, "write">;
}

/** Less than what is read after it takes, so that a client that says nothing costs little. */
const LONGEST_WAIT_MS = 20;
const LONGEST_LINE = 64 * 1024;

/**
 * Answers `initialize` before anything else of Zeph is read: this module is a bundle of its own (scripts/build.mjs), so whatever it imports is there
 * twice. Some clients ask their model after a second, with the tools they know by then. Everything that was read is put back, so the server finds the
 * request again. Null where there is nothing to answer, or something is unusual about it: then the server does.
 */
export async function answerFirst(argv: readonly string[], version: string, pipes: FirstPipes = process): Promise<FirstAnswer | null> {
  if (!servesPipes(argv) || pipes.stdin.isTTY) return null;
  const line = await firstLine(pipes.stdin);
  const asked = line === null ? null : readInitialize(line);
  if (asked === null) return null;
  const { id, revision } = asked;
  pipes.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: greetingFor(revision, version) })}\n`);
  return { id };
}

const BEFORE = new Set(["--config", "--set", "--cwd"]);
const BEHIND = new Set(["--workspace"]);
const FLAGS = new Set(["--no-color", "--later", "--asked-by-client"]);

/** Whether these words are `zeph mcp` on two pipes, as far as can be told without reading all of them. */
function servesPipes(argv: readonly string[]): boolean {
  let valued: ReadonlySet<string> = BEFORE;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const [name] = word.split("=");
    if (word === "mcp" && valued === BEFORE) valued = BEHIND;
    else if (valued.has(word)) at++;
    else if (!FLAGS.has(word) && !valued.has(name!)) return false;
  }
  return valued === BEHIND;
}

/** The first line, if it is there as a whole in time. */
function firstLine(stdin: Readable): Promise<string | null> {
  return new Promise((resolve) => {
    const done = (line: string | null) => {
      clearTimeout(timer);
      stdin.off("readable", look);
      // A pipe that is being read keeps a process that has nothing else to do. It is known one step later that nobody looks any more.
      setImmediate(() => {
        stdin.pause();
        resolve(line);
      });
    };
    const look = () => {
      const chunk = stdin.read() as Buffer | null;
      if (chunk === null) return;
      stdin.unshift(chunk);
      const end = chunk.indexOf("\n");
      done(end === -1 || end > LONGEST_LINE ? null : chunk.toString("utf8", 0, end));
    };
    const timer = setTimeout(() => done(null), LONGEST_WAIT_MS);
    stdin.on("readable", look);
  });
}

function readInitialize(line: string): { readonly id: string | number; readonly revision: string } | null {
  const message = record(attempt(() => JSON.parse(line) as unknown, null));
  const { jsonrpc, id, method, params } = message;
  const { protocolVersion, capabilities, clientInfo, _meta, ...rest } = record(params);
  const { name, version } = record(clientInfo);
  const isPlain = Object.keys(message).length === 4 && Object.keys(rest).length === 0 && (_meta === undefined || isBare(_meta));
  const isKnown = isPlain && areCapabilities(capabilities) && Object.values(record(clientInfo)).every((value) => typeof value === "string");
  if (!isKnown || jsonrpc !== "2.0" || method !== "initialize" || typeof name !== "string" || typeof version !== "string") return null;
  if (typeof protocolVersion !== "string") return null;
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? { id, revision: protocolVersion } : null;
}

/** Objects and nothing in them but such. */
const isBare = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isBare);

/** The server reads them with its whole schema. Here only forms are taken that it takes for certain: empty objects, and whether lists may change. */
const areCapabilities = (value: unknown): boolean =>
  isRecord(value) &&
  Object.values(value).every(
    (one) =>
      isRecord(one) && Object.entries(one).every(([name, inner]) => (name === "listChanged" ? typeof inner === "boolean" : isBare(inner))),
  );

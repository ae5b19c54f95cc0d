import type { Socket } from "node:net";
import type { Approval } from "./approvals.ts";
import type { Dialled } from "./dial.ts";
import { endOfHead, type Framing, readHead } from "./http-head.ts";
import type { WantedTarget } from "./judge.ts";
import { createOpeningBytes, type OpeningBytes } from "./opening.ts";
import {
  readSocksGreeting,
  readSocksPassword,
  readSocksRequest,
  SOCKS_METHOD,
  SOCKS_NO_METHOD,
  SOCKS_PASSWORD_OK,
  SOCKS_VERSION,
  type SocksStep,
  socksReply,
} from "./socks.ts";
import { joinSockets } from "./tunnel.ts";

/** What became of one connection, as the audit log tells it. */
export type ConnectionEnd = WantedTarget & { readonly ms: number } & (
    | {
        readonly verdict: "ok";
        readonly address: string;
        readonly sent: number;
        readonly received: number;
        /** It was open and reached, and no whole answer came. */
        readonly failed?: string;
      }
    | {
        readonly verdict: "refused";
        readonly why: string;
        /** `closed` by a rule or an answer; or it was open, and could not be reached. */
        readonly how: "closed" | "unreachable";
        readonly address?: string;
        readonly unanswered?: true;
        /** So many of the same that have no line of their own; this is the last of them. */
        readonly times?: number;
      }
  );

export interface ConnectionParts {
  /** Told first which command speaks: its credential, or null where the client sent none. */
  identify(credential: string | null): void;
  decide(wanted: WantedTarget): Promise<Approval>;
  /** Stops the clock of the commands that wait for the decision, until what is returned is called. */
  hold(): () => void;
  dial(to: WantedTarget, signal: AbortSignal): Promise<Dialled>;
  /** Told once, when it is over. */
  onEnd(end: ConnectionEnd): void;
  readonly headBytes: number;
  readonly headMs: number;
  readonly idleMs: number;
}

/** What a client asked for, and how it is answered in its own protocol. */
interface Asked extends WantedTarget {
  readonly credential: string | null;
  /** What the client is told once the server is there. */
  readonly welcome: Buffer | null;
  /** What the server is told first. */
  readonly head: string | null;
  readonly framing?: Framing;
  refuse(why: string, how: "closed" | "unreachable"): Buffer;
}

/** One connection from its first byte to its end. Never throws. */
export async function serveConnection(client: Socket, parts: ConnectionParts): Promise<void> {
  client.on("error", () => client.destroy());
  const opening = createOpeningBytes(client, { bytes: parts.headBytes, ms: parts.headMs });
  const asked = await readAsked(client, opening);
  if (asked === null) return void client.destroy();
  if (Buffer.isBuffer(asked)) return void client.end(asked, () => client.destroySoon());
  parts.identify(asked.credential);
  const began = performance.now();
  const { host, port } = asked;
  const end = (told: object) => parts.onEnd({ host, port, ms: Math.round(performance.now() - began), ...told } as ConnectionEnd);
  const refuse = (why: string, how: "closed" | "unreachable", more: object = {}) => {
    end({ verdict: "refused", why, how, ...more });
    client.end(asked.refuse(why, how), () => client.destroySoon());
  };

  const gone = new AbortController();
  client.once("close", () => gone.abort());
  const goOn = parts.hold();
  const approval = await Promise.race([parts.decide({ host, port }), leaving(client)]).finally(goOn);
  if (approval === null) return end({ verdict: "refused", how: "closed", why: "the command went away before this was decided" });
  if (approval.verdict !== "open")
    return refuse(
      approval.verdict === "refused" ? approval.why : "it is not open",
      "closed",
      approval.unanswered ? { unanswered: true } : {},
    );
  const to = { host: approval.host, port };
  const dialled = await parts.dial(to, gone.signal);
  if ("why" in dialled) return refuse(dialled.why, "unreachable", dialled.address === undefined ? {} : { address: dialled.address });
  const { socket: server, address } = dialled;
  if (asked.welcome) client.write(asked.welcome);
  if (asked.head !== null) server.write(asked.head, "latin1");
  const joined = { client, server, early: opening.rest(), idleMs: parts.idleMs, ...(asked.framing && { framing: asked.framing }) };
  const failed = await joinSockets(joined);
  const { bytesWritten: sent, bytesRead: received } = server;
  end({ verdict: "ok", host: to.host, address, sent, received, ...(failed !== null && { failed }) });
}

/** Null once nobody waits for an answer any more. */
const leaving = (client: Socket): Promise<null> =>
  new Promise((resolve) => {
    if (client.closed) resolve(null);
    else client.once("close", () => resolve(null));
  });

/** A buffer is a last word for a client that could not be understood; null where there is nothing to say or nobody to say it to. */
async function readAsked(client: Socket, opening: OpeningBytes): Promise<Asked | Buffer | null> {
  const first = await opening.until((bytes) => (bytes.length > 0 ? { value: bytes[0]!, length: 0 } : null));
  if (first === null) return null;
  return first === SOCKS_VERSION ? readSocks(client, opening) : readHttp(opening);
}

async function readHttp(opening: OpeningBytes): Promise<Asked | Buffer | null> {
  const text = await opening.until((bytes, from) => {
    const length = endOfHead(bytes, from);
    return length < 0 ? null : { value: bytes.toString("latin1", 0, length - 4), length };
  });
  if (text === null) return null;
  const head = readHead(text);
  if ("problem" in head) return answer(400, head.problem);
  // A client that speaks before the tunnel stands has not been told where it leads.
  if (head.kind === "tunnel" && opening.rest().length > 0) return answer(400, "something was sent before the tunnel stood");
  const { host, port, credential } = head;
  const refuse = (why: string, how: "closed" | "unreachable") => answer(how === "closed" ? 403 : 502, why);
  if (head.kind === "tunnel")
    return { host, port, credential, welcome: Buffer.from("HTTP/1.1 200 Connection established\r\n\r\n"), head: null, refuse };
  return { host, port, credential, welcome: null, head: head.rewritten, framing: head.framing, refuse };
}

async function readSocks(client: Socket, opening: OpeningBytes): Promise<Asked | Buffer | null> {
  const greeting = await readStep(opening, readSocksGreeting);
  if (greeting === null) return null;
  if (greeting.value === null) return SOCKS_NO_METHOD;
  client.write(SOCKS_METHOD[greeting.value]);
  let credential: string | null = null;
  if (greeting.value === "password") {
    const password = await readStep(opening, readSocksPassword);
    if (password === null) return null;
    credential = password.value;
    client.write(SOCKS_PASSWORD_OK);
  }
  const request = await readStep(opening, readSocksRequest);
  if (request === null) return null;
  return { ...request.value, credential, welcome: socksReply("ok"), head: null, refuse: (_why, how) => socksReply(how) };
}

/** Null where the client hung up, or what came is no such message. */
async function readStep<T>(opening: OpeningBytes, read: (bytes: Buffer) => SocksStep<T>): Promise<{ readonly value: T } | null> {
  return opening.until<{ readonly value: T } | null>((bytes) => {
    const step = read(bytes);
    if (step.kind === "more") return null;
    return step.kind === "bad" ? { value: null, length: 0 } : { value: { value: step.value }, length: step.length };
  });
}

const STATUS: Readonly<Record<number, string>> = { 400: "Bad request", 403: "Closed by Zeph", 502: "Not reached" };

/** The reason stands in the first line too: that is all that many clients show. */
function answer(status: number, why: string): Buffer {
  const said = why.replace(/[^\x20-\x7e]/g, "?").slice(0, 400);
  const body = `${STATUS[status]}: ${said}. Commands reach only names that are open.\n`;
  return Buffer.from(
    [
      `HTTP/1.1 ${status} ${STATUS[status]}: ${said}`,
      "Content-Type: text/plain; charset=us-ascii",
      `Content-Length: ${body.length}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
    "latin1",
  );
}

import type { Duplex } from "node:stream";
import type { Client, Dispatcher } from "undici";
import { ACCEPTED_CODINGS, type Body, readBody } from "./body.ts";
import type { Clock } from "./clock.ts";
import { garbledFailure } from "./failures.ts";
import { createMutedSocket } from "./muted-socket.ts";
import type { Target } from "./url.ts";

export interface PageRequest {
  readonly target: Target;
  readonly socket: Duplex;
  /** What a page that is known already may be asked with. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly clock: Clock;
  onStatus(status: number): void;
  /** How many bytes of the body came so far. */
  onChunk(received: number): void;
}

export interface PageAnswer {
  readonly status: number;
  /** Names in lower case; of a header sent twice all values. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Null when the status says that this is not the page. */
  readonly body: Body | null;
}

export type Exchange = (asking: PageRequest) => Promise<PageAnswer>;

/** To be had before dialling: a server that speaks first and hangs up is only heard by who listens at once. */
export async function loadExchange(): Promise<Exchange> {
  // Of a bundled package only its default is there.
  const { Client } = (await import("undici")).default;
  return (asking) => exchange(asking, Client);
}

/** One request over one socket. The socket is closed when this returns, whatever happened. */
async function exchange(asking: PageRequest, Http: typeof Client): Promise<PageAnswer> {
  const { target, socket, clock } = asking;
  // Once undici lets go of the socket, an error of it is nobody's business.
  socket.on("error", () => {});
  try {
    return await talk(asking, Http);
  } catch (error) {
    throw clock.signal.aborted ? clock.signal.reason : garbledFailure(error, target);
  } finally {
    socket.destroy();
  }
}

async function talk(
  { target, socket, conditions, maxBytes, clock, onStatus, onChunk }: PageRequest,
  Http: typeof Client,
): Promise<PageAnswer> {
  let isHandedOver = false;
  const ears = createMutedSocket(socket);
  const client = new Http(target.url.origin, {
    // Not at once: undici does not expect an answer before it has finished asking.
    connect: (_options, done) =>
      void setImmediate(() => {
        // There is only one socket. undici would try it again and again when it is closed, and wait at one that has said its last.
        if (isHandedOver || socket.readableEnded) return done(new Error("The connection is closed."), null);
        isHandedOver = true;
        // In here undici asks.
        ears.deafWhile(() => done(null, socket as never));
      }),
    maxHeaderSize: MAX_HEADERS,
    // The clock counts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const { signal } = clock;
    const path = `${target.url.pathname}${target.url.search}`;
    const request = () => client.request({ method: "GET", path, headers: { ...HEADERS, ...conditions }, reset: true, signal });
    const { statusCode, headers, body } = await clock.wait(request, drop);
    clock.heard();
    onStatus(statusCode);
    body.on("error", () => {});
    const isPage = statusCode >= 200 && statusCode < 300;
    if (!isPage) return { status: statusCode, headers, body: null };
    const heard = (received: number) => {
      clock.heard();
      onChunk(received);
    };
    const read = () => readBody(body, String(headers["content-encoding"] ?? ""), { maxBytes, onChunk: heard });
    return { status: statusCode, headers, body: await clock.wait(read) };
  } finally {
    client.destroy().catch(() => {});
  }
}

/** No cookies, no credentials, no referrer, nothing about the person or the machine. */
const HEADERS = {
  "user-agent": "Zeph/0.1",
  accept: "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5",
  "accept-encoding": ACCEPTED_CODINGS,
};
const MAX_HEADERS = 64 * 1024;

const drop = ({ body }: Dispatcher.ResponseData) => {
  body.on("error", () => {});
  body.destroy();
};

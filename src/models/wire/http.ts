import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { ModelError } from "../../core/model-error.ts";
import { modelFetch } from "../model-fetch.ts";
import { proxyFor } from "../proxy.ts";

/** A request to a model. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Ends the connection, whatever it does. */
  readonly signal: AbortSignal;
}

/** An answer that has begun well. */
export interface PostAnswer {
  /** Its bytes. Whoever stops reading leaves the rest to `drain` or `close`. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the answer here, as if the other side had closed it. */
  close(): void;
  /** Reads what is left in the background, so that the connection can be used again. */
  drain(): void;
}

/** Of a refusal the beginning is enough. */
const MOST_REFUSAL = 256 * 1024;
/** How long the line may stay open behind the end of an answer. */
const LINGER_MS = 1000;
/** How long a connection that nobody uses is kept. */
const IDLE_MS = 60_000;
const AGENTS = {
  "http:": new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
  "https:": new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
};

/** Sends a request and gives its answer. Throws what a server said instead, or the failure of the connection. Redirects are not followed: they would take the key along. */
export async function post(asked: Post): Promise<PostAnswer> {
  const answer = proxyFor(asked.url) ? await throughProxy(asked) : await directly(asked);
  const { status, headers } = answer;
  if (status < 200 || status > 299)
    throw Object.assign(new Error(`HTTP ${status}`), {
      statusCode: status,
      responseBody: await beginningOf(answer),
      responseHeaders: headers,
    });
  if (/^text\/html\b/i.test(headers["content-type"] ?? "")) {
    answer.close();
    throw new ModelError("bad_request", "A web page came back, not an answer of a model. Check base_url.");
  }
  return answer;
}

interface RawAnswer extends PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

async function directly(asked: Post): Promise<RawAnswer> {
  const response = await connect(asked);
  let isClosed = false;
  const close = () => {
    isClosed = true;
    response.destroy();
  };
  async function* chunks() {
    try {
      // What was read to its end gives its connection back.
      for await (const chunk of response.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
    } catch (error) {
      if (!isClosed) throw error;
    }
  }
  return {
    status: response.statusCode ?? 0,
    headers: plainHeaders(response),
    chunks: chunks(),
    close,
    drain() {
      if (response.readableEnded || response.destroyed) return;
      const giveUp = setTimeout(close, LINGER_MS).unref();
      response.once("close", () => clearTimeout(giveUp)).resume();
    },
  };
}

/** The response, when its head is there. A connection that was kept may have died unnoticed; then a new one is tried. */
async function connect({ url, headers, body, signal }: Post, isSecond = false): Promise<IncomingMessage> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const target = targetOf(url);
    const open = target.protocol === "https:" ? httpsRequest : httpRequest;
    const agent = isSecond ? false : AGENTS[target.protocol as keyof typeof AGENTS];
    const request: ClientRequest = open({
      ...target,
      method: "POST",
      headers: { ...headers, "content-length": String(body.length) },
      agent,
    });
    // Not as an option: Node would give the signal to the connection as well, which outlives the request.
    signal.addEventListener("abort", () => request.destroy(), { once: true });
    request.setNoDelay(true);
    // Whoever reads is told; when nobody does any more, nobody has to know.
    let hasAnswered = false;
    request.once("response", (response) => {
      hasAnswered = true;
      resolve(response.on("error", () => {}));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? "") && !hasAnswered && !isSecond && !signal.aborted)
        connect({ url, headers, body, signal }, true).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

/** A model has one address, which is taken apart once. */
const TARGETS = new Map<string, RequestOptions>();
function targetOf(url: string): RequestOptions {
  const target = TARGETS.get(url) ?? urlToHttpOptions(new URL(url));
  TARGETS.set(url, target);
  return target;
}

const plainHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function throughProxy({ url, headers, body, signal }: Post): Promise<RawAnswer> {
  const response = await modelFetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  const reader = response.body?.getReader();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    reader?.cancel().catch(() => {});
  };
  async function* chunks() {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || isClosed) return;
      yield value;
    }
  }
  return { status: response.status, headers: Object.fromEntries(response.headers), chunks: chunks(), close, drain: close };
}

async function beginningOf({ chunks, close }: RawAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    size += chunk.length;
    if (size > MOST_REFUSAL) break;
  }
  close();
  return Buffer.concat(pieces).subarray(0, MOST_REFUSAL).toString();
}

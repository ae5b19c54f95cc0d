import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { readOwnFile } from "../../../files/own-file.ts";
import { abortAfter } from "../../../text/abort.ts";
import type { OtlpTarget } from "./otlp-settings.ts";

/** Carries what was collected to one address. Whoever is there may be slow, broken or nobody: nothing here waits without an end. */
export interface OtlpSender {
  /** What was answered. Rejects with words that hold no header. */
  send(body: Uint8Array): Promise<Buffer>;
  /** From now on each is tried once. */
  hurry(): void;
  /** Whatever is under way ends now. */
  stop(): void;
}

const MOST_ANSWER = 64 * 1024;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;
/** They say that it may go better in a while. */
const BUSY = new Set([429, 502, 503, 504]);
const TYPES = { "http/protobuf": "application/x-protobuf", "http/json": "application/json" } as const;

export function createOtlpSender(target: OtlpTarget, version: string): OtlpSender {
  const { url, headers, protocol, timeoutMs, compression } = target;
  const isSecure = url.protocol === "https:";
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, maxSockets: 2, ...tlsOf(target) })
    : new HttpAgent({ keepAlive: true, maxSockets: 2 });
  const over = new AbortController();
  const hurried = new AbortController();
  const once = (body: Uint8Array, ms: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = (isSecure ? requestHttps : requestHttp)(url, {
        method: "POST",
        agent,
        headers: {
          "user-agent": `zeph/${version}`,
          ...headers,
          "content-type": TYPES[protocol],
          "content-length": body.length,
          ...(compression === "gzip" && { "content-encoding": "gzip" }),
        },
        signal: AbortSignal.any([over.signal, abortAfter(ms)]),
      });
      sent.on("error", (error) => reject(new NotSent(wordsOf(error, ms), "again")));
      sent.on(
        "response",
        (response) => void readAnswer(response).then(resolve, (error) => reject(new NotSent(wordsOf(error, ms), "again"))),
      );
      sent.end(body);
    });
  return {
    async send(given) {
      const body = compression === "gzip" ? gzipSync(given) : given;
      const until = performance.now() + timeoutMs;
      for (let tried = 1; ; tried++) {
        try {
          const { status, bytes, retryAfterMs } = await once(body, Math.max(1, until - performance.now()));
          if (status >= 200 && status < 300) return bytes;
          throw new NotSent(`it answered ${status}`, BUSY.has(status) ? "again" : "never", retryAfterMs);
        } catch (error) {
          const { when, pauseMs = FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.8 + Math.random() * 0.4) } = error as NotSent;
          const isLast = tried >= TRIES || hurried.signal.aborted || when === "never" || performance.now() + pauseMs >= until;
          if (isLast) throw error;
          await pause(pauseMs, undefined, { signal: hurried.signal, ref: false }).catch(() => Promise.reject(error));
        }
      }
    },
    hurry: () => hurried.abort(),
    stop() {
      hurried.abort();
      over.abort();
      agent.destroy();
    },
  };
}

class NotSent extends Error {
  override readonly name = "NotSent";
  readonly when: "again" | "never";
  readonly pauseMs: number | undefined;

  constructor(message: string, when: "again" | "never", pauseMs?: number) {
    super(message);
    this.when = when;
    this.pauseMs = pauseMs;
  }
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly retryAfterMs: number | undefined;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_ANSWER) break;
    parts.push(part);
  }
  const seconds = Number(response.headers["retry-after"] ?? Number.NaN);
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(parts), retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined };
}

/** The system's word for it. A message of the connection could quote what was sent. */
function wordsOf(error: unknown, ms: number): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError") return `it did not answer within ${Math.round(ms)} ms`;
  return code ?? message;
}

function tlsOf({ tls }: OtlpTarget) {
  const read = (file: string) => readOwnFile(file, { maxBytes: 1024 * 1024 }).bytes;
  return { ...(tls.ca && { ca: read(tls.ca) }), ...(tls.cert && { cert: read(tls.cert) }), ...(tls.key && { key: read(tls.key) }) };
}

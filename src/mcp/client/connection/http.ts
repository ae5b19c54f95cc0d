import type {
  AuthProvider,
  JSONRPCMessage,
  OAuthClientProvider,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { waitAtMost } from "../../../text/wait-within.ts";
import { boundBody } from "./http-body.ts";
import { mendBlocks } from "./mend-blocks.ts";
import { Outstanding } from "./outstanding.ts";
import { NotDelivered } from "./stdio.ts";

/** The answer of a server to a request that it did not take on. */
export class HttpRefusal extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly retryAfterMs?: number;
  constructor(status: number, said: string, retryAfterMs?: number) {
    super(said);
    this.status = status;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** Marks an answer that we gave ourselves, because the one from the server broke off. */
export class LostAnswer {
  readonly lost = true;
}

export interface HttpTransportParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a token and renews it. It never begins a login. */
  readonly authProvider?: AuthProvider | OAuthClientProvider;
}

/** Streamable HTTP as the SDK speaks it, with bodies that have an end and answers that belong to a request. */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream = true;
  readonly reason = null;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #open = new Outstanding();

  constructor(inner: StreamableHTTPClientTransport) {
    this.#inner = inner;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }
  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion(version);

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      if (this.#open.takes(message)) this.onmessage?.(mendBlocks(message));
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#open.sent(message);
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id === undefined) return this.#inner.send(message, options as InnerOptions);
    try {
      await this.#inner.send(message, { ...(options as InnerOptions), onRequestStreamEnd: () => this.#ended(id, options) });
    } catch (error) {
      this.#open.failed(id);
      throw error;
    }
  }

  /** The stream of a request ended. Whoever still waits for its answer would wait for ever. */
  #ended(id: string | number, options?: TransportSendOptions): void {
    options?.onRequestStreamEnd?.();
    if (!this.#open.waits(id) || options?.onRequestStreamEnd) return;
    this.#open.failed(id);
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_000, message: "the answer broke off", data: new LostAnswer() } });
  }

  /** Says goodbye where there is a session, and does not wait long for it. */
  async close(): Promise<void> {
    if (this.sessionId !== undefined) await waitAtMost(this.#inner.terminateSession(), GOODBYE_MS);
    await this.#inner.close();
  }
}

/** The same, as the SDK writes it in another place. */
type InnerOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

const GOODBYE_MS = 1000;

export async function createHttpTransport({ url, headers, authProvider }: HttpTransportParts): Promise<HttpTransport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new HttpTransport(
    new StreamableHTTPClientTransport(new URL(url), {
      fetch: fetchWith(headers, new URL(url).origin),
      // Redirects stay within the origin: that is what the SDK does unless told otherwise.
      ...(authProvider && { authProvider }),
    }),
  );
}

/** The configured headers are for the server alone: signing in asks other addresses too. */
const fetchWith =
  (headers: Readonly<Record<string, string>>, origin: string) =>
  (url: string | URL, init?: RequestInit): Promise<Response> => {
    const all = new Headers(init?.headers);
    if (new URL(url).origin === origin) for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value);
    return ours(url, { ...init, headers: all });
  };

async function ours(url: string | URL, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const what = `${causeText(error)} at ${new URL(url).origin}`;
    throw NEVER_THERE.has(codeOf(error)) ? new NotDelivered(what, { cause: error }) : new Error(what, { cause: error });
  }
  const body = boundBody(response);
  if (response.status !== 429 && response.status !== 503) return body;
  const said = await body.text().catch(() => "");
  throw new HttpRefusal(response.status, said.slice(0, 2000), retryAfterHeader(response.headers.get("retry-after")));
}

/** No connection was made, so nothing was sent. */
const NEVER_THERE = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

interface Failed {
  readonly message: string;
  readonly cause?: { readonly code?: unknown; readonly message?: unknown; readonly errors?: readonly { readonly code?: unknown }[] };
}

const codeOf = (error: unknown): string => {
  const { cause } = error as Failed;
  return String(cause?.code ?? cause?.errors?.[0]?.code ?? "");
};
/** "fetch failed" says nothing: what it failed of does. */
export const causeText = (error: unknown): string => codeOf(error) || String((error as Failed).cause?.message || (error as Failed).message);

/** In seconds or as a date. An hour is more than anybody waits here. */
export function retryAfterHeader(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : undefined;
}

import { ToolError } from "../../../core/error.ts";
import { abortAfter } from "../../../text/abort.ts";
import { causeText } from "../connection/http.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1_000_000;
const MAX_HOPS = 3;

/**
 * Fetch for the documents and tokens of an authorization server, which the MCP server named. None of the headers that the configuration
 * gives for the MCP server are sent. Plain http only where the MCP server itself is reached that way: at its own origin, or on this machine.
 */
export function createAuthFetch(serverUrl: string, fetch: Fetch = globalThis.fetch): Fetch {
  const server = new URL(serverUrl);
  return async (address, init = {}) => {
    let url = new URL(address);
    const late = abortAfter(TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    for (let hop = 0; ; hop += 1) {
      if (!mayBeAsked(url, server))
        throw new ToolError("policy_blocked", `An authorization server has to be reached by https: ${url.origin}`);
      const response = await fetch(url, { ...init, redirect: "manual", signal }).catch((error: unknown) => {
        if (signal.aborted) throw error;
        // Of the same kind as before: the SDK goes by that.
        throw new TypeError(`${causeText(error)} at ${url.origin}`, { cause: error });
      });
      const next = hop < MAX_HOPS ? redirection(response, url, init.method) : null;
      if (next === null) return bounded(response);
      await response.body?.cancel().catch(() => {});
      url = next;
    }
  };
}

export const isLoopbackUrl = ({ hostname }: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(hostname);

/** For what is fetched, and for what the person is asked to open. */
export const mayBeAsked = (url: URL, server: URL): boolean =>
  url.username === "" &&
  url.password === "" &&
  (url.protocol === "https:" ||
    (url.protocol === "http:" && (url.origin === server.origin || (isLoopbackUrl(url) && isLoopbackUrl(server)))));

/** Only a question is asked again, and only of the same origin. Anything else is for whoever asked to refuse. */
function redirection(response: Response, url: URL, method = "GET"): URL | null {
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null || method !== "GET" || !URL.canParse(location, url.href))
    return null;
  const next = new URL(location, url);
  return next.origin === url.origin ? next : null;
}

async function bounded(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new ToolError("server_error", `The authorization server sent more than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const empty = status < 200 || [101, 204, 205, 304].includes(status);
  return new Response(empty ? null : Buffer.concat(chunks), { status: empty && status < 200 ? 204 : status, statusText, headers });
}

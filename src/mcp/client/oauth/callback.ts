import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Where the browser comes back to after the person has agreed. */
export interface Callback {
  readonly url: string;
  /** The parameters that the browser brought. */
  readonly answer: Promise<URLSearchParams>;
  close(): void;
}

const TIMEOUT_MS = 5 * 60_000;
const PATH = "/callback";

/** Listens on this machine only, takes one answer that carries the state, and is gone. `port` is tried first, for a client that was registered with it. */
export async function openCallback(options: {
  state: string;
  signal: AbortSignal;
  port?: number | undefined;
  timeoutMs?: number;
}): Promise<Callback> {
  const { state, signal, port, timeoutMs = TIMEOUT_MS } = options;
  signal.throwIfAborted();
  let resolve!: (answer: URLSearchParams) => void;
  let reject!: (why: unknown) => void;
  const answer = new Promise<URLSearchParams>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // An answer that nobody waits for must not end the process.
  answer.catch(() => {});
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000, headersTimeout: 10_000, keepAlive: false }, (req, res) => {
    req.resume();
    const url = URL.canParse(req.url ?? "", "http://127.0.0.1") ? new URL(req.url!, "http://127.0.0.1") : null;
    if (req.method !== "GET" || url?.pathname !== PATH || req.headers.host !== new URL(here()).host)
      return page(res, 404, "There is nothing here.");
    // Not from the page we sent the person to. It does not end the login: anybody could do that by guessing the port.
    if (url.searchParams.getAll("state").join() !== state) return page(res, 400, "This does not belong to the login that is waiting.");
    page(
      res,
      200,
      url.searchParams.has("code") ? "You can close this page and go back." : "The login was not completed. You can close this page.",
    );
    resolve(url.searchParams);
    close();
  });
  server.maxConnections = 20;
  const close = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    server.close();
    setTimeout(() => server.closeAllConnections(), 1000).unref();
  };
  const end = (why: unknown) => {
    reject(why);
    close();
  };
  const stop = () => end(signal.reason);
  const timer = setTimeout(
    () => end(new Error(`Nobody signed in within ${Math.ceil(timeoutMs / 60_000)} minutes. Start the login again.`)),
    timeoutMs,
  );
  const here = () => `http://127.0.0.1:${(server.address() as AddressInfo | null)?.port ?? 0}${PATH}`;
  try {
    await listen(server, port ?? 0).catch((error) => (port === undefined ? Promise.reject(error) : listen(server, 0)));
  } catch (error) {
    end(error);
    throw error;
  }
  server.on("error", end);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return { url: here(), answer, close: () => end(new Error("The login was given up.")) };
}

const listen = (server: ReturnType<typeof createServer>, port: number) =>
  once(server.listen({ host: "127.0.0.1", port, exclusive: true }), "listening");

function page(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  res.end(`${text}\n`);
}

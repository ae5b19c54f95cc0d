import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { attempt } from "../../text/attempt.ts";
import { waitAtMost } from "../../text/wait-within.ts";

export interface HttpServerParts {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  readonly mostConnections: number;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The answer was rejected. */
  failed(response: ServerResponse): void;
}

export interface HttpServer {
  /** `http://address:port` */
  readonly origin: string;
  /** Nobody new comes in. `end` ends what is open; connections that are left after `graceMs` are cut. */
  close(end: () => Promise<unknown>, graceMs?: number): Promise<void>;
}

/** Listens with bounds: nobody may take all day to say what they want. Rejects when the port cannot be had. */
export async function listenHttp({ host, port, mostConnections, answer, failed }: HttpServerParts): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 2000,
    },
    (request, response) => {
      response.on("error", () => {});
      answer(request, response).catch(() => failed(response));
    },
  );
  server.maxConnections = mostConnections;
  await once(server.listen(port, host), "listening");
  const bound = server.address() as AddressInfo;
  return {
    origin: `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`,
    async close(end, graceMs = 0) {
      const closed = new Promise((resolve) => server.close(resolve));
      const ended = end();
      if (graceMs > 0) await waitAtMost(closed, graceMs);
      server.closeAllConnections();
      await Promise.all([ended, closed]);
    },
  };
}

/** Only a path and a query: whoever names another machine in the request line wants a proxy. What stands for bytes has to be text: half a character is none. */
export function requestUrl({ url }: IncomingMessage): URL | null {
  if (!url?.startsWith("/") || url.startsWith("//") || attempt(() => decodeURIComponent(url), null) === null) return null;
  return attempt(() => new URL(url, "http://localhost"), null);
}

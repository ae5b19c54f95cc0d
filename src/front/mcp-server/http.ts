import type { IncomingMessage } from "node:http";
import { type RequestRefusal, refuseStranger } from "../http/guard.ts";
import { listenHttp, requestUrl } from "../http/server.ts";
import { createMcpHttp, type McpHttpParts, MOST_SESSIONS } from "./mcp-http.ts";
import { refuse } from "./rpc-refusal.ts";

export interface HttpParts extends McpHttpParts {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  /** Lets a request in, or says why not. */
  authorize(request: IncomingMessage): RequestRefusal | null;
}

export interface HttpServed {
  readonly url: string;
  sessions(): number;
  close(): Promise<void>;
}

const PATH = "/mcp";
/** Besides one for the stream of each session. */
const MORE_CONNECTIONS = 1024;
/** Whoever has the token is the same person. */
const CALLER = "";

/** MCP over HTTP on a port of its own. Rejects when the port cannot be had. */
export async function serveHttp({ host, port, authorize, ...parts }: HttpParts): Promise<HttpServed> {
  const mcp = createMcpHttp(parts);
  const server = await listenHttp({
    host,
    port,
    mostConnections: (parts.most ?? MOST_SESSIONS) + MORE_CONNECTIONS,
    failed: (response) => refuse({ status: 500, message: "Zeph could not answer this." }, response),
    async answer(request, response) {
      const url = requestUrl(request);
      if (!url) return refuse({ status: 400, message: "Bad request: the address cannot be read." }, response);
      const refusal = refuseStranger(request, host);
      if (refusal) return refuse(refusal, response);
      if (url.pathname === "/health" && request.method === "GET")
        return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
      if (url.pathname !== PATH) return refuse({ status: 404, message: `Not found: MCP is at ${PATH}.` }, response);
      const unauthorized = authorize(request);
      if (unauthorized) return refuse(unauthorized, response);
      return mcp.answer(request, response, url, CALLER);
    },
  });
  return { url: `${server.origin}${PATH}`, sessions: mcp.sessions, close: () => server.close(mcp.close) };
}

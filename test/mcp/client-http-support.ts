import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import type { ServerConfig } from "../../src/mcp/config.ts";
import { make } from "./client-good.mjs";
import { serverConfig } from "./client-support.ts";

export type Handle = (request: IncomingMessage & { readonly text: string }, response: ServerResponse) => void | Promise<void>;

export interface Listening {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly text: string }[];
  /** Ends it, and every connection with it. */
  kill(): Promise<void>;
}

/** A server on loopback, gone after the test. */
export async function listening(handle: Handle, port = 0): Promise<Listening> {
  const seen: Listening["seen"] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    seen.push({ method: request.method!, headers: request.headers, text });
    await handle(Object.assign(request, { text }), response);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const kill = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  onTestFinished(kill);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, kill };
}

export const httpServer = (url: string, more: Record<string, unknown> = {}): ServerConfig =>
  serverConfig({ name: "far", url, timeout_secs: 20, ...more });

/** The well-behaved server, by the SDK's own handler: both revisions. */
export function goodHandler(): Handle {
  const handler = createMcpHandler(make);
  return async (request, response) => {
    const headers = new Headers(request.headers as Record<string, string>);
    const body = request.method === "POST" ? request.text : null;
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method: request.method!, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as never)
        .on("error", () => {})
        .pipe(response);
    else response.end();
  };
}

const echo = {
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

/** A server of the older kind written by hand, with one session at a time. `call` answers tools/call in its own way. */
export function olderHandler(
  call: (id: number, request: Parameters<Handle>[0], response: ServerResponse) => void,
): Handle & { session: string } {
  const json = (response: ServerResponse, body: unknown, headers = {}) =>
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  const handle: Handle & { session: string } = Object.assign(
    ((request, response) => {
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id, method } = JSON.parse(request.text);
      if (method === "server/discover") return void response.writeHead(400).end("what?");
      if (method === "initialize")
        return void json(
          response,
          {
            jsonrpc: "2.0",
            id,
            result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "older", version: "0" } },
          },
          { "mcp-session-id": handle.session },
        );
      if (request.headers["mcp-session-id"] !== handle.session) return void response.writeHead(404).end("no such session");
      if (id === undefined) return void response.writeHead(202).end();
      if (method === "tools/list") return void json(response, { jsonrpc: "2.0", id, result: { tools: [echo] } });
      if (method === "tools/call") return call(id, request, response);
      json(response, { jsonrpc: "2.0", id, error: { code: -32_601, message: "no" } });
    }) as Handle,
    { session: "one" },
  );
  return handle;
}

export const said = (id: number, text: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });

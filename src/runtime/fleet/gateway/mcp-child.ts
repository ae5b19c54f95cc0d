import { once } from "node:events";
import { createServer } from "node:http";
import { requestUrl } from "../../../front/http/server.ts";
import type { McpHttp } from "../../../front/mcp-server/mcp-http.ts";
import { handedOnFor, isMcpLink, type McpLink } from "./mcp-link.ts";

const LOOK_MS = 500;

/** For a process that a gateway started: serves MCP for the gateway until that lets go of it, or `signal` is aborted. */
export async function serveMcpForGateway(open: () => Promise<McpHttp>, signal: AbortSignal): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    process.once("disconnect", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const link = await Promise.race([whenTold(), gone]);
  if (!link) return;
  const mcp = await open();
  const server = createServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    response.on("error", () => {});
    const person = handedOnFor(request, link.secret);
    const url = requestUrl(request);
    if (person === null || url === null) return void response.writeHead(403).end();
    mcp.answer(request, response, url, person).catch(() => response.destroy());
  });
  process.umask(0o077);
  await once(server.listen(link.socket), "listening");
  let told = -1;
  const tell = () => {
    const sessions = mcp.sessions();
    if (sessions !== told && process.connected) process.send?.({ sessions });
    told = sessions;
  };
  tell();
  const timer = setInterval(tell, LOOK_MS);
  await gone;
  clearInterval(timer);
  server.close();
  await mcp.close();
  server.closeAllConnections();
}

const whenTold = (): Promise<McpLink> =>
  new Promise((resolve) => {
    process.on("message", (message) => {
      if (isMcpLink(message)) resolve(message);
    });
  });

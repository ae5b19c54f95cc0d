import { once } from "node:events";
import { rmdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { attempt } from "../../../text/attempt.ts";
import { requestUrl } from "../../http/server.ts";
import { handedOnFor, isMcpLink, type McpLink } from "./link.ts";

/** MCP over HTTP for the people of one tenant. */
export interface PeopleMcp {
  answer(request: IncomingMessage, response: ServerResponse, url: URL, person: string): Promise<void>;
  sessions(): number;
  close(): Promise<void>;
}

const LOOK_MS = 500;
/** Other programs keep a channel to what they start, too. */
const MARK = "_ZEPH_MCP_FOR_GATEWAY";

/** For the environment of a process that is to serve MCP for this one. */
export const markGatewayChild = (): NodeJS.ProcessEnv => ({ [MARK]: String(process.pid) });

/** Whether a gateway started this process to serve MCP for it. */
export const isGatewayChild = (): boolean => process.connected === true && process.env[MARK] === String(process.ppid);

/** For a process that a gateway started: serves MCP for the gateway until that lets go of it, or `signal` is aborted. */
export async function serveMcpForGateway(open: () => Promise<PeopleMcp>, signal: AbortSignal): Promise<void> {
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
  // A gateway that was killed cannot do it.
  rmSync(dirname(link.socket), { recursive: true, force: true });
  attempt(() => rmdirSync(dirname(dirname(link.socket))), null);
}

const whenTold = (): Promise<McpLink> =>
  new Promise((resolve) => {
    process.on("message", (message) => {
      if (isMcpLink(message)) resolve(message);
    });
  });

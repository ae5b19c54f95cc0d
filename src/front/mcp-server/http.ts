import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getHeapStatistics } from "node:v8";
import { isInitializeRequest, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import { attempt } from "../../text/attempt.ts";
import { isRecord, record } from "../../text/json.ts";
import { jsonBody, refuse, send, webRequest } from "./http-adapter.ts";
import { type RequestRefusal, refuseStranger } from "./http-guard.ts";
import { type HttpSession, type HttpSessionsParts, openHttpSessions, type SessionLimits } from "./http-sessions.ts";
import type { Workspaces } from "./workspaces.ts";

export interface HttpParts extends Pick<HttpSessionsParts, "open">, Partial<SessionLimits> {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  /** Lets a request in, or says why not. */
  authorize(request: IncomingMessage): RequestRefusal | null;
  /** Whether an agent started the process at the other end: that may not answer for a person. */
  isBelowAgent(connection: IncomingMessage["socket"]): boolean;
  readonly workspaces: Workspaces;
}

export interface HttpServed {
  readonly url: string;
  sessions(): number;
  close(): Promise<void>;
}

const PATH = "/mcp";
const MOST_SESSIONS = 1000;
const IDLE_MS = 30 * 60_000;
const SPARE_MS = 60_000;
/** Besides one for the stream of each session. */
const MORE_CONNECTIONS = 1024;
const MOST_IN_A_BATCH = 20;
const METHODS: readonly unknown[] = ["POST", "GET", "DELETE"];

/** MCP over HTTP, both eras on one path. Rejects when the port cannot be had. */
export async function serveHttp(parts: HttpParts): Promise<HttpServed> {
  const { most = MOST_SESSIONS, idleMs = IDLE_MS, spareMs = SPARE_MS, isCrowded = isHeapNearlyFull, open } = parts;
  const sessions = openHttpSessions({ most, idleMs, spareMs, isCrowded, open });
  const answer = answering(parts, sessions);
  const server = createServer(
    // Nobody may take all day to say what they want.
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 2000,
    },
    (request, response) => {
      response.on("error", () => {});
      answer(request, response).catch(() => refuse({ status: 500, message: "Zeph could not answer this." }, response));
    },
  );
  server.maxConnections = most + MORE_CONNECTIONS;
  await once(server.listen(parts.port, parts.host), "listening");
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}${PATH}`,
    sessions: sessions.size,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      const ended = sessions.close();
      server.closeAllConnections();
      await Promise.all([ended, closed]);
    },
  };
}

/** Whoever opens sessions must not end all the others by a process that is out of memory. */
function isHeapNearlyFull(): boolean {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size > heap_size_limit * 0.8;
}

function answering({ host, authorize, isBelowAgent, workspaces }: HttpParts, sessions: ReturnType<typeof openHttpSessions>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = urlOf(request);
    if (!url) return refuse({ status: 400, message: "Bad request: the address cannot be read." }, response);
    const refusal = refuseStranger(request, host);
    if (refusal) return refuse(refusal, response);
    if (url.pathname === "/health" && request.method === "GET")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    if (url.pathname !== PATH) return refuse({ status: 404, message: `Not found: MCP is at ${PATH}.` }, response);
    const unauthorized = authorize(request);
    if (unauthorized) return refuse(unauthorized, response);
    if (!METHODS.includes(request.method))
      return refuse({ status: 405, message: "Method not allowed.", headers: { allow: METHODS.join(", ") } }, response);
    const read = request.method === "POST" ? await bodyOf(request) : { body: undefined };
    if ("status" in read) return refuse(read, response);
    const { body } = read;
    if (bringsAnswer(body) && isBelowAgent(request.socket)) return refuse(NOT_A_PERSON, response, idOf(body));
    const asked = webRequest(request, response, url);
    const workspace = workspaceOf(asked, url, workspaces);
    if (workspace !== null && typeof workspace === "object") return refuse(workspace, response, idOf(body));
    const served = await sessionFor(asked, url, body, { asked: workspace, workspaces }, sessions);
    if ("status" in served) return refuse(served, response, idOf(body));
    const leave = served.use();
    try {
      await send(await served.answer(asked, body), response);
    } finally {
      leave();
    }
  };
}

const NOT_A_PERSON: RequestRefusal = {
  status: 403,
  message: "Forbidden: an agent started the process that answers, and only a person may do that.",
};

/** Whether a message answers what a client was asked: as a response, or along with its next request. */
const bringsAnswer = (body: unknown): boolean =>
  [body].flat().some((message) => {
    const { method, params } = record(message);
    return method === undefined || record(params).inputResponses !== undefined;
  });

/** Only a path and a query: whoever names another machine in the request line wants a proxy. */
function urlOf({ url }: IncomingMessage): URL | null {
  if (!url?.startsWith("/") || url.startsWith("//")) return null;
  return attempt(() => new URL(url, "http://localhost"), null);
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly body: unknown } | RequestRefusal> {
  if (!isJsonContentType(request.headers["content-type"]))
    return { status: 415, message: "Unsupported media type: send application/json." };
  const read = await jsonBody(request);
  if ("status" in read) return read;
  const messages = [read.body].flat() as unknown[];
  if (messages.length > MOST_IN_A_BATCH) return { status: 400, message: `A batch may hold at most ${MOST_IN_A_BATCH} messages.` };
  return messages.length > 0 && messages.every(isRecord) ? read : { status: 400, message: "Invalid request: the body is not a message." };
}

/** The folder that is asked for. Null: none is. */
function workspaceOf({ headers }: Request, url: URL, workspaces: Workspaces): string | null | RequestRefusal {
  const all = saidOnce("workspace", headers, url);
  if (all.length === 0) return null;
  const folder = all.length === 1 ? workspaces.find(all[0]!) : null;
  return (
    folder ?? {
      status: 403,
      message: "Forbidden: this is not a folder the server may work in. They are given with --workspace when it starts.",
    }
  );
}

/** The values of this name in the address and in the headers, each once. */
const saidOnce = (name: "workspace" | "session", headers: Headers, url: URL): string[] => [
  ...new Set([...url.searchParams.getAll(name), ...[headers.get(`zeph-${name}`) ?? []].flat()]),
];

const NAME = /^[\w.-]{1,64}$/;

async function sessionFor(
  request: Request,
  url: URL,
  body: unknown,
  { asked, workspaces }: { readonly asked: string | null; readonly workspaces: Workspaces },
  sessions: ReturnType<typeof openHttpSessions>,
): Promise<HttpSession | RequestRefusal> {
  const workspace = asked ?? workspaces.usual;
  const why = workspaces.refusal(workspace);
  const refused = why === null ? null : { status: 403, message: `Forbidden: ${why}` };
  if (!(await isLegacyRequest(request, body))) {
    const names = saidOnce("session", request.headers, url);
    const [name = "default"] = names;
    if (names.length > 1 || !NAME.test(name))
      return { status: 400, message: "A session is named by up to 64 letters, digits, dots, - and _, and by one name only." };
    return refused ?? sessions.byName(name, workspace);
  }
  const id = request.headers.get("mcp-session-id");
  if (id === null) {
    if (isInitializeRequest(body)) return refused ?? sessions.begin(randomUUID(), workspace);
    return { status: 400, message: "Bad request: Mcp-Session-Id is missing. A session begins with initialize." };
  }
  const served = sessions.byId(id);
  if (!served)
    return { status: 404, message: "Session not found: it has ended, or was idle for too long. Begin a new one with initialize." };
  if (workspace !== served.workspace && asked !== null)
    return { status: 400, message: "Bad request: this session works in another folder." };
  return served;
}

/** So that a refusal is found by who asked. */
const idOf = (body: unknown): unknown => {
  const { id } = record(body);
  return typeof id === "string" || typeof id === "number" ? id : null;
};

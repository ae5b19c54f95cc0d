import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { getHeapStatistics } from "node:v8";
import { isInitializeRequest, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import { isRecord, record } from "../../text/json.ts";
import { jsonBody, send, webRequest } from "../http/adapter.ts";
import type { RequestRefusal } from "../http/guard.ts";
import { type HttpSession, type HttpSessions, type HttpSessionsParts, openHttpSessions, type SessionLimits } from "./http-sessions.ts";
import { refuse } from "./rpc-refusal.ts";
import type { Workspaces } from "./workspaces.ts";

export interface McpHttpParts extends Pick<HttpSessionsParts, "open">, Partial<SessionLimits> {
  /** Whether an agent started the process at the other end: that may not answer for a person. */
  isBelowAgent(connection: IncomingMessage["socket"]): boolean;
  /** Where a caller's sessions may work. */
  workspacesOf(caller: string): Workspaces;
}

/** MCP over HTTP, both eras on one path, for requests that were let in. */
export interface McpHttp {
  /** `caller` is who sent it: sessions of others are not found. */
  answer(request: IncomingMessage, response: ServerResponse, url: URL, caller: string): Promise<void>;
  sessions(): number;
  close(): Promise<void>;
}

export const MOST_SESSIONS = 1000;
const IDLE_MS = 30 * 60_000;
const SPARE_MS = 60_000;
const MOST_BODY = 4 * 1024 * 1024;
const MOST_IN_A_BATCH = 20;
const METHODS: readonly unknown[] = ["POST", "GET", "DELETE"];

export function createMcpHttp(parts: McpHttpParts): McpHttp {
  const {
    most = MOST_SESSIONS,
    idleMs = IDLE_MS,
    spareMs = SPARE_MS,
    isCrowded = isHeapNearlyFull,
    open,
    isBelowAgent,
    workspacesOf,
  } = parts;
  const sessions = openHttpSessions({ most, idleMs, spareMs, isCrowded, open });
  return {
    async answer(request, response, url, caller) {
      if (!METHODS.includes(request.method))
        return refuse({ status: 405, message: "Method not allowed.", headers: { allow: METHODS.join(", ") } }, response);
      const read = request.method === "POST" ? await bodyOf(request) : { body: undefined };
      if ("status" in read) return refuse(read, response);
      const { body } = read;
      if (bringsAnswer(body) && isBelowAgent(request.socket)) return refuse(NOT_A_PERSON, response, idOf(body));
      const asked = webRequest(request, response, url);
      const workspaces = workspacesOf(caller);
      const workspace = workspaceOf(asked, url, workspaces);
      if (workspace !== null && typeof workspace === "object") return refuse(workspace, response, idOf(body));
      const served = await sessionFor(asked, url, body, { asked: workspace, workspaces, caller }, sessions);
      if ("status" in served) return refuse(served, response, idOf(body));
      const leave = served.use();
      try {
        await send(await served.answer(asked, body), response);
      } finally {
        leave();
      }
    },
    sessions: sessions.size,
    close: sessions.close,
  };
}

/** Whoever opens sessions must not end all the others by a process that is out of memory. */
function isHeapNearlyFull(): boolean {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size > heap_size_limit * 0.8;
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

async function bodyOf(request: IncomingMessage): Promise<{ readonly body: unknown } | RequestRefusal> {
  if (!isJsonContentType(request.headers["content-type"]))
    return { status: 415, message: "Unsupported media type: send application/json." };
  const read = await jsonBody(request, MOST_BODY);
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
  { asked, workspaces, caller }: { readonly asked: string | null; readonly workspaces: Workspaces; readonly caller: string },
  sessions: HttpSessions,
): Promise<HttpSession | RequestRefusal> {
  const workspace = asked ?? workspaces.usual;
  const why = workspaces.refusal(workspace);
  const refused = why === null ? null : { status: 403, message: `Forbidden: ${why}` };
  if (!(await isLegacyRequest(request, body))) {
    const names = saidOnce("session", request.headers, url);
    const [name = "default"] = names;
    if (names.length > 1 || !NAME.test(name))
      return { status: 400, message: "A session is named by up to 64 letters, digits, dots, - and _, and by one name only." };
    return refused ?? sessions.byName(name, workspace, caller);
  }
  const id = request.headers.get("mcp-session-id");
  if (id === null) {
    if (isInitializeRequest(body)) return refused ?? sessions.begin(randomUUID(), workspace, caller);
    return { status: 400, message: "Bad request: Mcp-Session-Id is missing. A session begins with initialize." };
  }
  const served = sessions.byId(id, caller);
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

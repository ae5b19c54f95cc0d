import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator, FleetPerson, FleetRole } from "../../core/ports/fleet/person.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { type RequestRefusal, refuseStranger } from "../http/guard.ts";
import { listenHttp, requestUrl } from "../http/server.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { AUDIT_ROUTES } from "./audit-routes.ts";
import { DoorRefusal, type OpenDoor } from "./door.ts";
import { openEventRoutes } from "./event-routes.ts";
import { type GatewayReply, refusal, sendRefusal, sendReply } from "./reply.ts";
import type { GatewayRequest, Route } from "./request.ts";
import { findRoute } from "./routing.ts";
import { STATUS_ROUTES } from "./status-routes.ts";
import { TASK_ROUTES } from "./task-routes.ts";

export interface GatewayParts {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  /** The address that people use, where a proxy stands before this server. */
  readonly publicly: URL | null;
  readonly people: Authenticator;
  readonly openDoor: OpenDoor;
  /** MCP for a person who was let in. */
  readonly mcp: GatewayMcp;
  /** Whether an agent started the process at the other end. */
  isBelowAgent(connection: IncomingMessage["socket"]): boolean;
  /** Why nobody should be sent here now; null where everything is there. */
  readiness(): Promise<string | null>;
  /** Something broke that nobody foresaw. */
  warn(words: string): void;
  readonly mostConnections?: number;
}

export interface GatewayMcp {
  answer(request: IncomingMessage, response: ServerResponse, url: URL, person: FleetPerson): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayServed {
  readonly url: string;
  close(): Promise<void>;
}

const MCP_PATH = "/mcp";
const METADATA = /^\/\.well-known\/oauth-protected-resource(?:\/mcp)?$/;
const MOST_CONNECTIONS = 4096;
/** Nobody waits longer for a database that does not answer. */
const ANSWER_MS = 15_000;
/** Whoever is being answered when the gateway ends has so long. */
const GRACE_MS = 3000;

/** The HTTP door of a fleet. It holds nothing but streams and MCP sessions: any number of gateways may serve one store. */
export async function serveGateway(parts: GatewayParts): Promise<GatewayServed> {
  const events = openEventRoutes(parts.people);
  const routes = [...TASK_ROUTES, ...events.routes, ...approvalRoutes(parts.isBelowAgent), ...AUDIT_ROUTES, ...STATUS_ROUTES];
  const server = await listenHttp({
    host: parts.host,
    port: parts.port,
    mostConnections: parts.mostConnections ?? MOST_CONNECTIONS,
    answer: async (request, response) => {
      try {
        await answerRequest(parts, routes, request, response);
      } catch (error) {
        sendRefusal(refusalOf(error, parts.warn), response);
      }
    },
    failed: (response) => response.destroy(),
  });
  return { url: server.origin, close: () => server.close(() => Promise.all([events.close(), parts.mcp.close()]), GRACE_MS) };
}

async function answerRequest(parts: GatewayParts, routes: readonly Route[], raw: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = requestUrl(raw);
  if (!url) return sendRefusal(refusal(400, "The address cannot be read."), response);
  // No store holds one in a text.
  if (/%00/.test(url.pathname + url.search)) return sendRefusal(refusal(400, "The address holds a NUL character."), response);
  // Probes come from whoever runs the machine, under an address that nobody foresees.
  const probed = await answerProbe(parts, raw, url);
  if (probed) return sendReply(probed, response);
  const stranger = refuseStranger(raw, parts.host, parts.publicly);
  if (stranger) return sendRefusal(stranger, response);
  const resource = resourceOf(parts, raw);
  if (METADATA.test(url.pathname)) {
    const metadata = parts.people.metadata(resource);
    return metadata
      ? sendReply({ status: 200, body: metadata }, response)
      : sendRefusal(refusal(404, "Tokens here are the fleet's own."), response);
  }
  const person = await parts.people.check(raw.headers.authorization).catch((cause: unknown) => {
    throw new DoorRefusal(503, "Nobody can tell now who you are: what knows it is away. Try again.", { retryAfterS: 1, cause });
  });
  if (!person) return sendRefusal(unauthorized(parts, raw, resource), response);
  if (url.pathname === MCP_PATH) {
    const missing = missingRole(person, ["user"]);
    return missing ? sendRefusal(missing, response) : parts.mcp.answer(raw, response, url, person);
  }
  const found = findRoute(routes, raw.method, url.pathname);
  if ("status" in found) return sendRefusal(found, response);
  const missing = missingRole(person, found.route.roles);
  if (missing) return sendRefusal(missing, response);
  const request: GatewayRequest = { person, door: parts.openDoor(person), url, words: found.words, raw, response };
  const answered = found.route.answer(request);
  const reply = await (found.route.isStream ? answered : waitWithin(answered, ANSWER_MS, LATE));
  if (reply === null) return;
  return "message" in reply ? sendRefusal(reply, response) : sendReply(reply, response);
}

const LATE = refusal(
  503,
  "There was no answer in time, and nobody knows whether it was done. Ask again: with the same key nothing is added twice.",
  {
    "retry-after": "2",
  },
);

/** `/healthz`: the process answers. `/readyz`: so does what it needs. */
async function answerProbe({ readiness }: GatewayParts, { method }: IncomingMessage, { pathname }: URL): Promise<GatewayReply | null> {
  if (method !== "GET" || (pathname !== "/healthz" && pathname !== "/readyz")) return null;
  const why = pathname === "/healthz" ? null : await readiness();
  if (why === null) return { status: 200, body: { ok: true } };
  return { status: 503, body: { ok: false, error: why }, headers: { "retry-after": "1" } };
}

/** Our name for those who give out tokens. */
const resourceOf = ({ publicly }: GatewayParts, { headers }: IncomingMessage): string =>
  `${publicly?.origin ?? `http://${headers.host}`}${MCP_PATH}`;

function unauthorized({ people }: GatewayParts, { headers }: IncomingMessage, resource: string): RequestRefusal {
  const problem = headers.authorization === undefined ? "" : ', error="invalid_token"';
  const origin = resource.slice(0, -MCP_PATH.length);
  const where = people.metadata(resource) ? `, resource_metadata="${origin}/.well-known/oauth-protected-resource${MCP_PATH}"` : "";
  return refusal(401, "Send a token that counts, as Authorization: Bearer <token>.", {
    "www-authenticate": `Bearer realm="zeph"${problem}${where}`,
  });
}

function missingRole({ roles }: FleetPerson, needed: readonly FleetRole[]): RequestRefusal | null {
  if (needed.length === 0 || needed.some((role) => roles.includes(role))) return null;
  return refusal(403, `This takes the role ${needed.join(" or ")}. Your token does not give it.`);
}

function refusalOf(error: unknown, warn: GatewayParts["warn"]): RequestRefusal {
  if (error instanceof DoorRefusal)
    return refusal(error.status, error.message, error.retryAfterS === null ? {} : { "retry-after": String(error.retryAfterS) });
  warn(`A request could not be answered: ${(error as Error)?.message ?? error}`);
  return refusal(500, "Zeph could not answer this. What it prints on its stderr says why.");
}

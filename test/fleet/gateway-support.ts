import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { FleetRole } from "../../src/core/ports/fleet/person.ts";
import { fleetConfig } from "../../src/fleet/config.ts";
import { createFleetTokens } from "../../src/fleet/govern/tokens.ts";
import { type GatewayOptions, openGateway } from "../../src/runtime/fleet/gateway/open-gateway.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { statePaths } from "../../src/store/state-paths.ts";

export interface TestGateway {
  readonly url: string;
  readonly warnings: readonly string[];
  /** One request with a token; the body is JSON both ways. */
  ask(token: string | null, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Asked>;
  close(): Promise<void>;
}

export interface Asked {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

const NO_MCP: GatewayOptions["mcp"] = {
  answer: async (_request, response) => void response.writeHead(501).end(),
  close: async () => {},
};

/** A gateway in this process, without MCP. */
export async function startGateway(
  store: string,
  { fleet = {}, bus = "", ...options }: Partial<Omit<GatewayOptions, "settings">> & { readonly fleet?: object; readonly bus?: string } = {},
): Promise<TestGateway> {
  const warnings: string[] = [];
  const served = await openGateway({
    settings: { store, bus, fleet: fleetConfig().parse(fleet), at: statePaths({ store: "", audit: "" }) },
    tenant: null,
    host: "127.0.0.1",
    port: 0,
    publicly: null,
    mcp: NO_MCP,
    warn: (words) => warnings.push(words),
    ...options,
  });
  onTestFinished(() => served.close());
  return { url: served.url, warnings, close: served.close, ask: (...given) => ask(served.url, ...given) };
}

export async function ask(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Asked> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : text,
    headers: answer.headers,
  };
}

export async function newToken(store: string, tenant: string, person: string, ...roles: readonly FleetRole[]): Promise<string> {
  const db = openPg({ url: store, tenant, role: "zeph_gateway", max: 1 });
  const { token } = await createFleetTokens(db).add({ person, roles, by: "test" });
  await db.close();
  return token;
}

export interface EventReader {
  readonly status: number;
  /** The messages that came so far. */
  readonly messages: readonly any[];
  readonly comments: readonly string[];
  /** Resolves when the server has ended the stream. */
  readonly over: Promise<void>;
  close(): void;
}

/** Follows a stream of server-sent events. */
export async function follow(url: string, token: string, path: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const stop = new AbortController();
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, signal: stop.signal });
  const messages: any[] = [];
  const comments: string[] = [];
  const read = async () => {
    let rest = "";
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${piece}`.split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        if (block.startsWith("data: ")) messages.push(JSON.parse(block.slice("data: ".length)));
        else comments.push(block);
      }
    }
  };
  const over = read().catch(() => {});
  onTestFinished(() => stop.abort());
  return { status: answer.status, messages, comments, over, close: () => stop.abort() };
}

export const newKey = (): string => `key-${randomUUID()}`;

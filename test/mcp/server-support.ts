import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { type ServingHttp, serveOverHttp } from "../../src/runtime/serve/start.ts";

export const TOKEN = "a-token-for-this-test-only";
export type Revision = "2025-11-25" | "2026-07-28";
export const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

/** A folder with a workspace and a place for Zeph's own files, gone after the test. */
export function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-mcp-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const work = join(root, "work");
  mkdirSync(work);
  const audit = join(root, "state", "audit.jsonl");
  return {
    root,
    work,
    settings: (tools: object = {}, rest: object = {}) => ({
      config: { audit: { path: audit }, tools, ...rest },
      store: join(root, "state", "zeph.db"),
    }),
    audit: () =>
      readFileSync(audit, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** Zeph over HTTP on a port of its own, closed after the test. */
export async function serving(given: Partial<ServingHttp> & Pick<ServingHttp, "cwd" | "settings">) {
  const warnings: string[] = [];
  const served = await serveOverHttp({
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    workspaces: [],
    warn: (message) => warnings.push(message),
    ...given,
  });
  onTestFinished(() => served.close());
  return { ...served, warnings };
}

export interface Connecting {
  readonly revision?: Revision;
  readonly capabilities?: ClientCapabilities;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  prepare?(client: Client): void;
  /** The folder is named when a session begins, and in no request after that. */
  readonly onceNamed?: true;
}

/** A client as the SDK has it, connected, and closed after the test. */
export async function connected(
  url: string,
  { revision = "2025-11-25", capabilities = {}, query = "", headers = {}, prepare, onceNamed }: Connecting = {},
) {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, ...(revision === "2026-07-28" && { versionNegotiation: { mode: { pin: revision } } }) },
  );
  prepare?.(client);
  const transport = new StreamableHTTPClientTransport(new URL(url + query), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
    ...(onceNamed && { fetch: (to, init) => fetch(new Headers(init?.headers).has("mcp-session-id") ? url : to, init) }),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** What a model reads of a result. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as { type: string; text?: string }[]).map(({ text = "" }) => text).join("\n");

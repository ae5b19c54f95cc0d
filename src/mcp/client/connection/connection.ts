import { AsyncLocalStorage } from "node:async_hooks";
import type { AuthProvider, CallToolResult, OAuthClientProvider, Tool as WireTool } from "@modelcontextprotocol/client";
import type { Elicit } from "../../../core/ports/elicitation.ts";
import type { Serve } from "../../../core/ports/served.ts";
import type { Walls } from "../../../core/ports/walls.ts";
import type { Progress } from "../../../core/tool.ts";
import { version } from "../../../files/version.ts";
import { abortAfter } from "../../../text/abort.ts";
import { record } from "../../../text/json.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import type { ServerConfig } from "../../config.ts";
import { type Listing, listOfServer } from "../listing.ts";
import { inALine } from "../trust/hidden-text.ts";
import { secretsOf } from "../trust/secrets.ts";
import { whileUnderWay } from "./activity.ts";
import { callWithin } from "./call-deadline.ts";
import { type ChangedList, handshake, hearChanges } from "./handshake.ts";
import { createHttpTransport, HttpTransport } from "./http.ts";
import { createOfferRequests, type OfferRequests } from "./offer-requests.ts";
import { programOf, type ServerOrigin } from "./program.ts";
import { answerRequests, type ConnectionActivity, type RequestParts } from "./server-requests.ts";
import { NotDelivered, StdioTransport } from "./stdio.ts";

export interface ConnectParts extends Pick<RequestParts, "sample"> {
  readonly serve: Serve;
  readonly elicit: Elicit | null;
  readonly roots: readonly string[];
  readonly warn: (message: string) => void;
  readonly authProvider?: AuthProvider | OAuthClientProvider;
  /** Whether somebody else than the person brought the server; then it shares nothing with theirs. */
  readonly origin?: ServerOrigin;
  /** It said so before: it speaks no revision after 2025-11-25. */
  readonly legacy?: boolean;
}

export interface ServerCallOptions {
  readonly signal: AbortSignal;
  readonly tell?: (progress: Progress) => void;
  /** The definition that was agreed to, for headers and the form of the answer. */
  readonly definition?: unknown;
  /** W3C trace context of whoever calls, for a server that is watched. */
  readonly traceparent?: string | undefined;
}

/** One connection to one server. It is used until it ends, and never again. */
export interface Connection {
  /** The server's own name, and the revision it speaks. */
  readonly server?: string;
  readonly protocol: string;
  readonly transport: "pipe" | "tcp";
  readonly legacy: boolean;
  readonly walls?: Walls;
  /** Files that a program left since the last look and that others may run, in words. */
  look(): readonly string[];
  listTools(signal?: AbortSignal): Promise<Listing>;
  callTool(name: string, args: Record<string, unknown>, options?: ServerCallOptions): Promise<CallToolResult>;
  /** Calls `changed` when the server says that one of its lists changed. */
  onListChanged(changed: (list: ChangedList) => void): void;
  /** Its prompts and resources. */
  readonly offers: OfferRequests;
  /** The server remembers us, and can forget. */
  readonly inSession: boolean;
  readonly sessionId?: string | undefined;
  /** Nothing of it is left: its program has ended. */
  readonly gone: Promise<void>;
  /** Resolves with the reason. */
  readonly ended: Promise<string>;
  /** Why it ended; null while it has not. */
  readonly why: string | null;
  /** Closes it when the last call that is under way has its answer. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** Speaks 2026-07-28 where the server does, and 2025-11-25 or older where not. Throws when it cannot be reached within the time. */
export async function connectTo(
  server: ServerConfig,
  parts: ConnectParts,
  signal: AbortSignal = new AbortController().signal,
): Promise<Connection> {
  if (parts.legacy || server.url !== undefined) return attempt(server, parts, signal);
  try {
    return await attempt(server, parts, signal);
  } catch (error) {
    // Some programs end at a first question they do not know. They are asked again as older ones were.
    if (!(error as { probed?: boolean }).probed || signal.aborted) throw error;
    return attempt(server, { ...parts, legacy: true }, signal);
  }
}

async function attempt(server: ServerConfig, parts: ConnectParts, outer: AbortSignal): Promise<Connection> {
  const { Client: SdkClient, parseJSONRPCMessage } = await import("@modelcontextprotocol/client");
  const ms = Math.min(server.timeout_secs, LONGEST_CONNECT_SECS) * 1000;
  const transport =
    server.url !== undefined
      ? await createHttpTransport({
          url: server.url,
          headers: server.headers,
          ...(parts.authProvider && { authProvider: parts.authProvider }),
        })
      : new StdioTransport(parts.serve, programOf(server, parts.origin), { parse: parseJSONRPCMessage, scrub: secretsOf(server) });
  // What it is made of may have to be fetched first, and that has a time of its own.
  if (transport instanceof StdioTransport) await transport.open(outer);
  const firstMs = ms + (transport instanceof StdioTransport ? transport.fetchMs : 0);
  const client = new SdkClient(
    { name: "zeph", version: version() },
    {
      // The same whether or not somebody is there: some servers offer other tools to whoever can be asked, and that would look like a change.
      capabilities: { roots: {}, elicitation: { form: {}, url: {} }, ...(parts.sample && { sampling: {} }) },
      versionNegotiation: { mode: parts.legacy ? "legacy" : "auto", probe: { timeoutMs: Math.ceil(firstMs / 2) } },
    },
  );
  const doings: ConnectionActivity = { calls: 0, asking: 0, asked: 0, over: new AbortController() };
  const state = { retired: false, why: null as string | null, changed: (_list: ChangedList) => {} };
  let end!: (why: string) => void;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  client.onclose = () => {
    state.why = transport.reason ?? "was closed";
    doings.over.abort();
    end(state.why);
  };
  client.onerror = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", () => state.changed("tools"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => state.changed("prompts"));
  client.setNotificationHandler("notifications/resources/list_changed", () => state.changed("resources"));
  answerRequests(client, { ...parts, name: server.name }, doings);
  await handshake(client, transport, firstMs, outer);
  await hearChanges(client, ms, (list) => state.changed(list));
  const info = client.getServerVersion();
  const close = () => waitAtMost(client.close(), CLOSE_MS);
  const idle = () => void (state.retired && close());
  const underWay = <T>(work: () => Promise<T>): Promise<T> => {
    if (parts.sample) doings.behalf = AsyncLocalStorage.snapshot();
    return whileUnderWay(doings, idle, work);
  };
  return {
    ...(info && { server: inALine(`${info.name} ${info.version}`, 100) }),
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    transport: server.url === undefined ? "pipe" : "tcp",
    legacy: client.getProtocolEra() !== "modern",
    ...("walls" in transport && transport.walls && { walls: transport.walls }),
    look: transport instanceof StdioTransport ? transport.look : () => [],
    listTools: (signal = abortAfter(ms)) => listOfServer(client, "tools", { signal, timeout: ms }),
    offers: createOfferRequests({
      client,
      ms,
      late: abortAfter,
      within: (signal, ask) =>
        underWay(() => callWithin({ signal, seconds: server.timeout_secs, asking: () => doings.asking > 0 }, (options) => ask(options))),
    }),
    callTool: async (name, args, { signal, tell, definition, traceparent } = { signal: new AbortController().signal }) => {
      const { asked } = doings;
      try {
        return await underWay(() =>
          callWithin({ signal, seconds: server.timeout_secs, asking: () => doings.asking > 0, ...(tell && { tell }) }, (options) =>
            client.callTool(
              { name, arguments: args, ...(traceparent !== undefined && { _meta: { traceparent } }) },
              { ...options, toolDefinition: forHeaders(name, definition) },
            ),
          ),
        );
      } catch (error) {
        // A call that led to a question has been delivered, whatever became of the answer.
        throw error instanceof NotDelivered && doings.asked > asked ? new Error("the connection was lost") : error;
      }
    },
    onListChanged(changed) {
      state.changed = changed;
    },
    get inSession() {
      return transport instanceof HttpTransport && transport.sessionId !== undefined;
    },
    get sessionId() {
      return transport instanceof HttpTransport ? transport.sessionId : undefined;
    },
    gone: transport instanceof StdioTransport ? transport.gone : Promise.resolve(),
    ended,
    get why() {
      return state.why;
    },
    retire: async () => {
      state.retired = true;
      if (doings.calls === 0) await close();
    },
    close,
  };
}

const LONGEST_CONNECT_SECS = 30;
const CLOSE_MS = 5000;

/** Of a definition the SDK reads which arguments go into headers. The form of the answer is looked at elsewhere. */
const forHeaders = (name: string, definition: unknown) =>
  ({ name, inputSchema: record(record(definition).inputSchema) }) as unknown as WireTool;

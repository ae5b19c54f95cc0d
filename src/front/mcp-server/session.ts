import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Tracing, UNTRACED } from "../../core/ports/span.ts";
import { version } from "../../files/version.ts";
import { serverInfo, TOOLS_CAPABILITY } from "./greeting.ts";
import { type Client, type ClientAsks, type Offer, SessionRefused, UnknownTool } from "./offer.ts";
import { createSessionCalls, pushQuestion } from "./session-calls.ts";
import { traceServedCall } from "./trace-call.ts";

/** The 2025 era has a connection, over which we may ask; in that of 2026 every request stands alone, and an answer comes with the next. */
export type Era = "legacy" | "modern";

export interface SessionParts {
  /** Called once, when the first tool is asked for. */
  open(client: Client): Promise<Offer>;
  readonly instructions?: string;
  /** Adds what is no tool: resources, prompts. */
  equip?(server: McpServer, offer: () => Promise<Offer>): void;
  warn(message: string): void;
  readonly tracing?: Tracing;
}

/** One client's place: its tools, its calls, its questions. */
export interface McpSession {
  /** A server for one connection, or for one request. All servers of a session share what it has under way. */
  server(era: Era): McpServer;
  /** Told when the list of tools is another. */
  onChange(listener: () => void): void;
  busy(): number;
  /** Stops every call and closes what was opened. */
  close(): Promise<void>;
}

export function openMcpSession({ open, instructions, equip, warn, tracing = UNTRACED }: SessionParts): McpSession {
  const calls = createSessionCalls();
  const listeners: (() => void)[] = [];
  let opening: Promise<Offer> | null = null;
  let opened: Offer | null = null;
  let unsubscribe: (() => void) | undefined;
  let isOpen = true;

  const offerFor = (server: McpServer): Promise<Offer> => {
    if (!isOpen) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "This session has ended.");
    opening ??= open({ roots: () => rootsOf(server) }).then(
      (offer) => {
        opened = offer;
        unsubscribe = offer.subscribe?.(() => {
          for (const listener of listeners) listener();
        });
        return offer;
      },
      (error) => {
        // The next request tries again: a configuration can be mended.
        opening = null;
        warn(`A session could not be opened: ${(error as Error).message}`);
        if (error instanceof SessionRefused) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          "Zeph could not open this session. What it prints on its stderr says why.",
        );
      },
    );
    return opening;
  };

  return {
    server(era) {
      const server = new McpServer(serverInfo(version()), { capabilities: TOOLS_CAPABILITY, ...(instructions && { instructions }) });
      server.server.setRequestHandler("tools/list", async () => ({ tools: [...(await offerFor(server)).tools()] }));
      server.server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, context) => {
        const offer = await offerFor(server);
        const tool = offer.tools().some((one) => one.name === name) ? name : null;
        return traceServedCall(tracing, { server, context, tool }, async () => {
          const state = context.mcpReq.requestState();
          if (typeof state === "string" && !offer.ownStates?.(state)) return calls.resume(state, name, args, context);
          try {
            return await calls.begin(
              { offer, name, args, asks: asksOf(server, context), ...(era === "legacy" && { push: pushQuestion }) },
              context,
            );
          } catch (error) {
            throw error instanceof UnknownTool ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
          }
        });
      });
      // What of a tool's arguments a client has to repeat in headers is checked against the schema it was shown.
      server.toolInputSchemaJson = (name) => opened?.tools().find((tool) => tool.name === name)?.inputSchema;
      equip?.(server, () => offerFor(server));
      return server;
    },
    onChange: (listener) => void listeners.push(listener),
    busy: calls.busy,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      unsubscribe?.();
      calls.stop();
      const offer = await opening?.catch(() => null);
      await offer?.close();
    },
  };
}

/** A client that says it can be asked, and no more, can be asked with a form. */
function asksOf({ server }: McpServer, { mcpReq }: ServerContext): ClientAsks {
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return {
    form: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    url: elicitation?.url !== undefined,
  };
}

const ROOTS_MS = 5000;
const MOST_ROOTS = 100;

/** Only a client with a connection can be asked; one that does not answer has none. */
async function rootsOf({ server }: McpServer): Promise<readonly string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS }).catch(() => ({ roots: [] }));
  return roots.slice(0, MOST_ROOTS).map(({ uri }) => uri);
}

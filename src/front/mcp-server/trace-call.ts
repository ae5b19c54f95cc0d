import { type McpServer, PROTOCOL_VERSION_META_KEY, type ServerContext, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import type { Attributes, Tracing } from "../../core/ports/span.ts";
import type { CallAnswer } from "./running-call.ts";

export interface TracedRequest {
  readonly server: McpServer;
  readonly context: ServerContext;
  /** The tool, where there is one of that name: other names are a stranger's text. */
  readonly tool: string | null;
}

/** The span around one `tools/call` of a client, below the span that the client names in `_meta`. */
export function traceServedCall(
  tracing: Tracing,
  { server, context, tool }: TracedRequest,
  answer: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  const name = tool ?? "(unknown)";
  const { mcpReq, sessionId, http } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const named = (): Attributes => {
    const protocol = envelope?.[PROTOCOL_VERSION_META_KEY] ?? server.server.getNegotiatedProtocolVersion();
    return {
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": name,
      "jsonrpc.request.id": String(mcpReq.id),
      "network.transport": http ? "tcp" : "pipe",
      ...(typeof protocol === "string" && { "mcp.protocol.version": protocol }),
      ...(sessionId !== undefined && { "mcp.session.id": sessionId }),
    };
  };
  const parent = mcpReq._meta?.[TRACEPARENT_META_KEY];
  const work = async (span: Parameters<Parameters<Tracing["span"]>[3]>[0]) => {
    try {
      const said = await answer();
      if ("isError" in said && said.isError) span.fail("tool_error");
      return said;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (typeof code === "number") span.fail(String(code));
      throw error;
    }
  };
  return tracing.span(`tools/call ${name}`, "server", named, work, typeof parent === "string" ? parent : undefined);
}

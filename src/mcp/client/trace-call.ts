import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Attributes, Span, Tracing } from "../../core/ports/span.ts";
import type { Connection } from "./connection/connection.ts";

/** The span around one `tools/call` on its way to a server and back. `send` gets the trace context that goes with it. */
export function traceSentCall(
  tracing: Tracing,
  { server, tool, connection }: { readonly server: string; readonly tool: string; readonly connection: Connection },
  send: (traceparent: string | undefined) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const { protocol, transport, sessionId } = connection;
  const named = (): Attributes => ({
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": tool,
    "mcp.protocol.version": protocol,
    "network.transport": transport,
    ...(sessionId !== undefined && { "mcp.session.id": sessionId }),
    "zeph.mcp.server": server,
  });
  return tracing.span(`tools/call ${tool}`, "client", named, async (span: Span) => {
    try {
      const result = await send(span.traceparent);
      if (result.isError) span.fail("tool_error");
      return result;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (typeof code === "number") span.fail(String(code));
      throw error;
    }
  });
}

import { McpServer } from "@modelcontextprotocol/server";
import { version } from "../../files/version.ts";
import { isRecord } from "../../text/json.ts";
import type { OwnTools } from "./own-tools.ts";

/** Under which the Claude Agent SDK tells a server which call of the model this is. */
const CALL_ID = "claudecode/toolUseId";

/** Zeph's tools as an MCP server inside of the process. `isApproved` says whether a person said yes to the call of this id. */
export function createToolServer(name: string, own: OwnTools, isApproved: (callId: string) => boolean): McpServer {
  const server = new McpServer({ name, title: "Zeph", version: version() }, { capabilities: { tools: {} } });
  const tools = own.list.map(({ name, description, parameters, effect }) => ({
    name,
    description,
    inputSchema: parameters as { type: "object" },
    annotations: { readOnlyHint: effect === "reads" },
  }));
  server.server.setRequestHandler("tools/list", async () => ({ tools }));
  server.server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { name: tool, arguments: args = {} } = params;
    const meta: unknown = (params as { readonly _meta?: unknown })._meta;
    const given = isRecord(meta) ? meta[CALL_ID] : undefined;
    const callId = typeof given === "string" ? given : undefined;
    const { outcome, text } = await own.call({
      tool,
      args,
      callId,
      signal: mcpReq.signal,
      isApproved: () => callId !== undefined && isApproved(callId),
    });
    return { content: [{ type: "text", text }], ...(!outcome.ok && { isError: true }) };
  });
  return server;
}

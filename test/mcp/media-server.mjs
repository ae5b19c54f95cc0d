// An MCP server made with the SDK that returns bytes of all kinds, and asks for the client's model.
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const make = () => {
  const server = new McpServer({ name: "media", version: "1.0.0" });
  const blocks = z.array(z.record(z.string(), z.unknown()));
  server.registerTool(
    "show",
    { description: "Returns these blocks.", inputSchema: z.object({ content: blocks, fails: z.boolean().optional() }) },
    ({ content, fails }) => ({ content, ...(fails && { isError: true }) }),
  );
  server.registerTool(
    "flood",
    { description: "Returns many.", inputSchema: z.object({ times: z.number(), block: z.record(z.string(), z.unknown()) }) },
    ({ times, block }) => ({ content: Array.from({ length: times }, () => block) }),
  );
  server.registerTool("large", { description: "Returns a large one.", inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => ({
    content: [{ type: "image", mimeType: "image/png", data: "A".repeat(bytes) }],
  }));
  server.registerTool(
    "think",
    { description: "Asks the model.", inputSchema: z.object({ params: z.record(z.string(), z.unknown()) }) },
    ({ params }, ctx) => {
      const answer = ctx.mcpReq.inputResponses?.thought;
      if (answer) return { content: [{ type: "text", text: JSON.stringify(answer) }] };
      return inputRequired({ inputRequests: { thought: inputRequired.createMessage(params) } });
    },
  );
  return server;
};

serveStdio(make, { legacy: "serve" });

// A small well-behaved MCP server made with the SDK: both revisions of the protocol, on standard input and output.
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

export const make = () => {
  const server = new McpServer({ name: "good", version: "1.2.3" }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({
      content: [],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool(
    "slow",
    { description: "Counts to ten.", inputSchema: z.object({ ms: z.number().optional() }) },
    async ({ ms = 60 }, ctx) => {
      for (let n = 1; n <= 10; n++) {
        await new Promise((done) => setTimeout(done, ms));
        if (ctx.mcpReq.signal.aborted) {
          process.stderr.write("cancelled\n");
          return { content: [] };
        }
        const token = ctx.mcpReq._meta?.progressToken;
        if (token !== undefined)
          await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress: n, total: 10 } });
      }
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  server.registerTool("blocks", { description: "All kinds of blocks.", inputSchema: z.object({}) }, () => ({
    content: [
      { type: "text", text: "some \u202etext" },
      { type: "image", data: "A".repeat(4096), mimeType: "image/png" },
      { type: "audio", data: "A".repeat(4096), mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "inside b" } },
      { type: "resource", resource: { uri: "file:///c.bin", blob: "AAAA", mimeType: "application/octet-stream" } },
    ],
  }));
  server.registerTool("greet", { description: "Asks who you are.", inputSchema: z.object({}) }, (_args, ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, "who");
    if (answer) return { content: [{ type: "text", text: `hello ${answer.name}` }] };
    if (ctx.mcpReq.inputResponses?.who) return { content: [{ type: "text", text: `nobody: ${ctx.mcpReq.inputResponses.who.action}` }] };
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who are you?", requestedSchema }) } });
  });
  return server;
};

if (process.argv[1]?.endsWith("client-good.mjs")) serveStdio(make, { legacy: process.argv[2] === "modern only" ? "reject" : "serve" });

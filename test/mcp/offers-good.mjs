// A server made with the SDK that has prompts, resources and completions: both revisions of the protocol, on standard input and output.
import { completable, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const make = () => {
  const server = new McpServer({ name: "good", version: "1.2.3" });
  const starting =
    (...all) =>
    (value) =>
      all.filter((one) => one.startsWith(value ?? ""));
  server.registerPrompt(
    "greet",
    { description: "Greets somebody", argsSchema: z.object({ who: completable(z.string(), starting("Ada", "Alan")) }) },
    ({ who }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${who}.` } }] }),
  );
  server.registerResource("memo", "memo://one", { mimeType: "text/plain" }, (uri) => ({ contents: [{ uri: uri.href, text: "milk" }] }));
  server.registerResource(
    "of",
    new ResourceTemplate("memo://of/{person}", { list: undefined, complete: { person: starting("ann", "bert") } }),
    {},
    (uri, { person }) => ({ contents: [{ uri: uri.href, text: `of ${person}` }] }),
  );
  server.registerTool("grow", { description: "Adds a prompt.", inputSchema: z.object({}) }, () => {
    server.registerPrompt("late", { description: "Came later" }, () => ({ messages: [] }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  return server;
};

serveStdio(make, { legacy: process.argv[2] === "modern only" ? "reject" : "serve" });

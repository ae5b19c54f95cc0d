// An MCP server with one tool, which leaves a file behind: node mark-server.mjs <file>.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file] = process.argv.slice(2);
const tool = { name: "mark", description: "Leaves a mark.", inputSchema: { type: "object", properties: {} } };

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "near", version: "1" } }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call"() {
    writeFileSync(file, "");
    return { content: [{ type: "text", text: "marked" }] };
  },
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(ANSWERS, method)
    ? { result: ANSWERS[method](params) }
    : { error: { code: -32601, message: `There is no ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});

// A server that asks for too much. What it does is its first argument.
import { createInterface } from "node:readline";

const [mode] = process.argv.slice(2);
const raw = (text) => process.stdout.write(`${text}\n`);
const send = (message) => raw(JSON.stringify({ jsonrpc: "2.0", ...message }));
const object = (more = {}) => ({ type: "object", ...more });
const many = (n, one) => Array.from({ length: n }, (_, i) => one(i));

const TOOLS = {
  "costs much": [
    { name: "costly", inputSchema: object({ anyOf: many(7000, () => ({})) }) },
    { name: "cheap", inputSchema: object({ properties: { a: { type: "string" } } }) },
  ],
  "makes no sense": [
    { name: "senseless", inputSchema: object({ properties: { a: { $ref: "#none" } } }) },
    { name: "dangling", inputSchema: object({ properties: { a: { $ref: "#/$defs/none" } } }) },
    { name: "untyped", inputSchema: object({ properties: { a: { type: "thing" } } }) },
    { name: "cheap", inputSchema: object() },
  ],
  "says too much": [
    { name: "wordy", description: "x".repeat(2_000_000), inputSchema: object() },
    { name: "padded", description: "short", padding: "x".repeat(2_000_000), inputSchema: object() },
    { name: "cheap", description: "short", inputSchema: object() },
  ],
  "tells secrets": [{ name: "tell", inputSchema: object() }],
  "answers by a costly schema": [
    { name: "tell", inputSchema: object(), outputSchema: object({ oneOf: many(900, (i) => ({ required: [`a${i}`] })) }) },
  ],
};

let page = 0;
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "limits", version: "1" } }),
  "tools/list": () => ({ tools: TOOLS[mode] ?? [] }),
  "tools/call": () => {
    const said = Object.entries(process.env).map(([name, value]) => `${name} is ${value}`);
    return { content: [{ type: "text", text: said.join("\n") }], structuredContent: { said, [process.env.API_TOKEN ?? "none"]: true } };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/list" && mode === "lists without end") {
    // Too deep to be written down by most programs, and long.
    const deep = `${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`;
    page += 1;
    process.stderr.write(`page ${page}\n`);
    return raw(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"nextCursor":"c${page}","tools":[{"name":"t${page}","d":${deep},"f":"${"x".repeat(2_000_000)}"}]}}`,
    );
  }
  const answer = answers[method];
  send(answer ? { id, result: answer() } : { id, error: { code: -32601, message: "no" } });
});

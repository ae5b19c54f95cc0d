// You have an agent on the Claude Agent SDK: put Claude's own tools behind Zeph's door, and give it Zeph's. Install first: npm install @anthropic-ai/claude-agent-sdk
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createRuntime } from "zeph";
import { govern } from "zeph/claude-agent-sdk";
import { callsIn } from "./scratch/audit.mjs";
import { scratchFolder } from "./scratch/folder.mjs";

const [cwd, home, log] = [scratchFolder(), scratchFolder(), scratchFolder()];
const secret = `${"gh"}p_${"Zk3Q9xWmT7".repeat(4).slice(0, 36)}`; // put together here, so that nobody takes it for a real one
writeFileSync(join(cwd, "hello.txt"), "Hello.\n");
writeFileSync(join(cwd, "token.txt"), `${secret}\n`);
const marker = (name) => join(cwd, name);
const bash = [
  { pattern: "cat *", action: "allow" },
  { pattern: "touch wiped", action: "deny" },
  { pattern: "touch *", action: "ask" },
];
const permissions = { bash, write: [{ pattern: "*", action: "ask" }] };
const zeph = await createRuntime({ cwd, store: "memory", config: { audit: { path: join(log, "audit.jsonl") }, tools: { permissions } } });

const asked = [];
const canUseTool = async (tool, input) => {
  asked.push(tool);
  return { behavior: "allow", updatedInput: input };
};
const model = await serveModel([
  asks("Read", { file_path: marker("hello.txt") }),
  asks("Bash", { command: "cat token.txt", description: "Shows the token" }),
  asks("Bash", { command: "touch wiped", description: "Wipes" }),
  asks("Bash", { command: "touch web", description: "Deploys" }),
  asks("mcp__zeph__write", { path: "noted.txt", content: "Deployed.\n" }),
  { type: "text", text: "Deployed." },
]);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  TMPDIR: process.env.TMPDIR,
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
};
const options = { cwd, env, model: "claude-sonnet-4-5", settingSources: [], ...govern(zeph, { canUseTool, tools: {} }) };
for await (const message of query({ prompt: "Show the token, wipe the disk, deploy the web, note it.", options }))
  if (message.type === "result") console.log(message.result);
model.close();
await zeph.close();

const said = JSON.stringify(model.results);
assert.match(said, /Hello\./); // Claude's own tool ran
assert.match(said, /\[redacted:/); // what a command printed is shown without its secret
assert(!said.includes(secret));
assert.match(said, /zeph permissions: /); // the model reads why
assert(!existsSync(marker("wiped")));
assert(existsSync(marker("web")));
assert.equal(readFileSync(marker("noted.txt"), "utf8"), "Deployed.\n"); // Zeph's own tool ran
assert.deepEqual(asked, ["Bash", "mcp__zeph__write"]);

assert.deepEqual(callsIn(join(log, "audit.jsonl"), "claude"), [
  "call bash allow",
  "call bash ask",
  "call bash deny",
  "call read allow",
  "settled bash ok",
  "settled bash ok",
  "settled read ok",
]);

function asks(name, input) {
  return { type: "tool_use", id: `toolu_${name}_${JSON.stringify(input).length}`, name, input };
}

/** In place of Anthropic's API: gives one answer after the other, and keeps what it is told of each call. */
async function serveModel(answers) {
  const results = [];
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    const { messages = [], tools = [], stream } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    if (!request.url.startsWith("/v1/messages?") && request.url !== "/v1/messages") return response.writeHead(404).end("{}");
    const parts = messages.at(-1)?.content ?? [];
    if (tools.length > 0 && Array.isArray(parts))
      results.push(...parts.filter(({ type }) => type === "tool_result").map(({ content }) => content));
    const part = tools.length > 0 ? answers.shift() : { type: "text", text: "A title" };
    const stop_reason = part.type === "text" ? "end_turn" : "tool_use";
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (!stream)
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...message, content: [part], stop_reason }));
    const start = part.type === "text" ? { type: "text", text: "" } : { ...part, input: {} };
    const delta =
      part.type === "text"
        ? { type: "text_delta", text: part.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(part.input) };
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, results, close: () => server.close() && server.closeAllConnections() };
}

// An Anthropic-compatible server on loopback. It keeps each request as a file and waits for the file with the answer, which a person or a model writes.
import { existsSync, mkdirSync, readFileSync, watch } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeLetter } from "./letters.mjs";

const USAGE = `usage: node lab/model/mailbox.mjs <folder> [--port 8917]

Listens on 127.0.0.1. Start an agent with ANTHROPIC_BASE_URL=http://127.0.0.1:8917/v1.
Each request is written to <folder>/N.request.json, and the server waits for <folder>/N.answer.json: { "text": "…", "calls": [{ "name": "…", "input": {} }] }.`;

const KEEP_ALIVE = 10_000;

/** Opens the mailbox and returns its address. */
export function openMailbox(folder, port = 0) {
  mkdirSync(folder, { recursive: true });
  let count = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== "POST" || !/\/v1\/messages(\?|$)/.test(request.url))
      return sendJson(response, { data: [{ id: "claude-sonnet-5-5", type: "model" }] });
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const number = ++count;
    writeLetter(path.join(folder, `${number}.request.json`), body);
    if (body.stream) startStream(response, number, body);
    const pings = setInterval(() => body.stream && send(response, "ping", {}), KEEP_ALIVE);
    const answer = await waitForAnswer(folder, number);
    clearInterval(pings);
    const content = blocksOf(answer, number);
    const stop_reason = answer.calls.length > 0 ? "tool_use" : "end_turn";
    if (body.stream) endStream(response, content, stop_reason);
    else sendJson(response, { ...messageOf(number, body), content, stop_reason });
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.close().closeAllConnections() }),
    );
  });
}

function waitForAnswer(folder, number) {
  const name = `${number}.answer.json`;
  const file = path.join(folder, name);
  return new Promise((resolve) => {
    const watcher = watch(folder, look);
    look();
    function look() {
      if (!existsSync(file)) return;
      watcher.close();
      resolve(JSON.parse(readFileSync(file, "utf8")));
    }
  });
}

const messageOf = (number, { model }) => ({
  id: `msg_${number}`,
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

const blocksOf = ({ text, calls }, number) => [
  ...(text === "" ? [] : [{ type: "text", text }]),
  ...calls.map(({ name, input }, at) => ({ type: "tool_use", id: `toolu_${number}_${at}`, name, input })),
];

function startStream(response, number, body) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  send(response, "message_start", { message: messageOf(number, body) });
}

function endStream(response, content, stop_reason) {
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    send(response, "content_block_start", { index, content_block: isText ? { type: "text", text: "" } : { ...block, input: {} } });
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send(response, "content_block_delta", { index, delta });
    send(response, "content_block_stop", { index });
  }
  send(response, "message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } });
  send(response, "message_stop", {});
  response.end();
}

const send = (response, type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);

const sendJson = (response, data) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(data));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean" }, port: { type: "string", default: "8917" } },
  });
  if (values.help || positionals.length !== 1) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  const { url } = await openMailbox(positionals[0], Number(values.port));
  console.log(`mailbox at ${url}/v1, letters in ${positionals[0]}`);
}

// A model on loopback: asks for one call after the other, and notes how long whoever made it took to come back with the result.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const CALLS = {
  read: (n) => ({ name: "read", input: { path: "data.txt", offset: n, limit: 100 } }),
  grep: (n) => ({ name: "grep", input: { pattern: `needle${n}`, path: "tree" } }),
  bash: (n) => ({ name: "bash", input: { command: `echo ${n}` } }),
};

/** `runs(kind, calls)` opens a conversation of its own; its `url` is what a client is given. */
export async function startServer() {
  const open = new Map();
  const server = createServer(async (request, response) => {
    const arrived = performance.now();
    const run = open.get(request.url.split("/")[1]);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!run || !request.url.endsWith("/v1/messages")) return response.writeHead(404).end();
    const body = Buffer.concat(chunks);
    if (run.ended !== null) run.gaps.push(arrived - run.ended);
    run.bodies.push(body);
    const n = run.bodies.length;
    run.first ??= arrived;
    const pid = Number(request.headers["x-pid"] ?? run.pid);
    if (pid) run.peak = Math.max(run.peak, peakOf(pid));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(n > run.calls ? finalText(body.length) : toolUse(n, CALLS[run.kind](n), body.length), () => {
      run.ended = performance.now();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  let count = 0;
  return {
    run(kind, calls) {
      const id = `run${++count}`;
      const run = { kind, calls, gaps: [], bodies: [], ended: null, first: null, peak: 0, pid: 0 };
      open.set(id, run);
      return Object.assign(run, { url: `http://127.0.0.1:${server.address().port}/${id}`, forget: () => open.delete(id) });
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Most memory a process ever held, in MB. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
}

const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const start = (bytes) => {
  const usage = { input_tokens: Math.ceil(bytes / 4), output_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id: "msg", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage };
  return event({ type: "message_start", message });
};
const end = (reason) =>
  event({ type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } }) +
  event({ type: "message_stop" });

const toolUse = (n, { name, input }, bytes) =>
  start(bytes) +
  event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: `toolu_${n}`, name, input: {} } }) +
  event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } }) +
  event({ type: "content_block_stop", index: 0 }) +
  end("tool_use");

const finalText = (bytes) =>
  start(bytes) +
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Done." } }) +
  event({ type: "content_block_stop", index: 0 }) +
  end("end_turn");

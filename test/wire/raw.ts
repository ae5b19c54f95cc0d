import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that says exactly what a test wants said. The request has been read when the test's word begins. */
export async function startRaw(say: (response: ServerResponse, request: IncomingMessage, body: Buffer) => void): Promise<RawServer> {
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => say(response, request, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const SSE = { "content-type": "text/event-stream" };

const event = (data: any) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) => data({ id: "c", choices: [{ index: 0, delta, finish_reason }] });

/** One answer with thinking where there is some, text with a letter of more than one byte, and two calls, as each protocol tells it. */
export const STREAMS = {
  anthropic: [
    event({ type: "message_start", message: { id: "m", usage: { input_tokens: 9, output_tokens: 1 } } }),
    event({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } }),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Grüße" } }),
    event({ type: "content_block_stop", index: 1 }),
    event({ type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "a", name: "read", input: {} } }),
    event({ type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"path":' } }),
    event({ type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"x"}' } }),
    event({ type: "content_block_stop", index: 2 }),
    event({ type: "content_block_start", index: 3, content_block: { type: "tool_use", id: "b", name: "read", input: {} } }),
    event({ type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '{"path":"y"}' } }),
    event({ type: "content_block_stop", index: 3 }),
    event({ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 7 } }),
    event({ type: "message_stop" }),
  ].join(""),
  chat: [
    chunk({ role: "assistant", content: "Grüße" }),
    chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "read", arguments: '{"path":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] }),
    chunk({ tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "read", arguments: '{"path":"y"}' } }] }),
    chunk({}, "tool_calls"),
    data({ id: "c", choices: [], usage: { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 } }),
    "data: [DONE]\n\n",
  ].join(""),
  gemini: [
    data({ candidates: [{ content: { role: "model", parts: [{ text: "Hm", thought: true }] } }] }),
    data({ candidates: [{ content: { role: "model", parts: [{ text: "Grüße" }] } }] }),
    data({
      candidates: [{ content: { parts: [{ functionCall: { id: "a", name: "read", args: { path: "x" } }, thoughtSignature: "sig" }] } }],
    }),
    data({
      candidates: [{ content: { parts: [{ functionCall: { id: "b", name: "read", args: { path: "y" } } }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 3 },
    }),
  ].join(""),
  responses: [
    event({ type: "response.created", response: { id: "r", created_at: 1, model: "x" } }),
    event({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg" } }),
    event({ type: "response.output_text.delta", item_id: "msg", output_index: 0, content_index: 0, delta: "Grüße" }),
    event({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg" } }),
    ...["x", "y"].flatMap((path, i) => {
      const item = { type: "function_call", id: `fc${i}`, call_id: "ab"[i], name: "read" };
      const args = `{"path":"${path}"}`;
      return [
        event({ type: "response.output_item.added", output_index: i + 1, item: { ...item, arguments: "" } }),
        event({ type: "response.function_call_arguments.delta", item_id: item.id, output_index: i + 1, delta: args }),
        event({ type: "response.output_item.done", output_index: i + 1, item: { ...item, arguments: args, status: "completed" } }),
      ];
    }),
    event({ type: "response.completed", response: { usage: { input_tokens: 9, output_tokens: 7 } } }),
  ].join(""),
};

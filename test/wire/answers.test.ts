import { afterEach, describe, expect, it } from "vitest";
import { type RawServer, SSE, STREAMS, startRaw } from "./raw.ts";
import { ask, hear, openWire, requestsOf, textOf, type WireName } from "./talk.ts";

let server: RawServer | undefined;
afterEach(() => server?.stop());

async function answer(wire: WireName, text: string) {
  server = await startRaw((response) => response.writeHead(200, SSE).end(text));
  return hear(openWire(wire, server.url), ask("hello"));
}
const event = (data: any) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

describe("an answer that ran out of room", () => {
  it.each<[WireName, string]>([
    ["anthropic", STREAMS.anthropic.replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"')],
    ["chat", STREAMS.chat.replace('"finish_reason":"tool_calls"', '"finish_reason":"length"')],
    ["compatible", STREAMS.chat.replace('"finish_reason":"tool_calls"', '"finish_reason":"length"')],
    ["gemini", STREAMS.gemini.replace('"finishReason":"STOP"', '"finishReason":"MAX_TOKENS"')],
    [
      "responses",
      STREAMS.responses
        .replace("response.completed", "response.incomplete")
        .replace(
          '"response.completed","response":{',
          '"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},',
        ),
    ],
  ])("of %s asks for its last call with a word of warning, even where that looks whole", async (wire, text) => {
    const events = await answer(wire, text);
    expect(events.at(-1)).toMatchObject({ type: "end", finish: "length" });
    const [first, last] = requestsOf(events);
    expect(first!.problem).toBeUndefined();
    expect(last!.problem).toMatch(/ran out of room/);
  });
  it("may end with text", async () => {
    const events = await answer(
      "chat",
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "and so" }, finish_reason: "length" }] })}\n\n`,
    );
    expect(events[0]).toEqual({ type: "text", text: "and so" });
    expect(events.at(-1)).toMatchObject({ type: "end", finish: "length" });
  });
});

it.each<WireName>(["chat", "compatible", "ollama"])("%s that says stop and asks for calls wants them made", async (wire) => {
  const events = await answer(wire, STREAMS.chat.replace('"finish_reason":"tool_calls"', '"finish_reason":"stop"'));
  expect(requestsOf(events)).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: "end", finish: "calls" });
});

it.each<[WireName, string]>([
  ["anthropic", STREAMS.anthropic.replace('"stop_reason":"tool_use"', '"stop_reason":"refusal"')],
  ["chat", STREAMS.chat.replace('"finish_reason":"tool_calls"', '"finish_reason":"content_filter"')],
  ["gemini", STREAMS.gemini.replace('"finishReason":"STOP"', '"finishReason":"SAFETY"')],
  ["gemini", 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n'],
])("%s that was held back says so", async (wire, text) => expect((await answer(wire, text)).at(-1)).toMatchObject({ finish: "refused" }));

it("counts what was read from and written to the cache", async () => {
  const usage = '"usage":{"input_tokens":9,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}';
  const events = await answer("anthropic", STREAMS.anthropic.replace('"usage":{"input_tokens":9,"output_tokens":1}', usage));
  expect(events.at(-1)).toMatchObject({ usage: { input: 129, cacheRead: 100, cacheWrite: 20, output: 7 } });
  const cached = STREAMS.responses.replace('"input_tokens":9', '"input_tokens":90,"input_tokens_details":{"cached_tokens":80}');
  await server!.stop();
  expect((await answer("responses", cached)).at(-1)).toMatchObject({ usage: { input: 90, cacheRead: 80, output: 7 } });
});

it("does without a count of tokens", async () => {
  const events = await answer("compatible", STREAMS.chat.replace(/data: \{"id":"c","choices":\[\],"usage".*\n\n/, ""));
  expect(requestsOf(events)).toHaveLength(2);
  expect(events.at(-1)).toEqual({ type: "end", finish: "calls" });
});

it("keeps the order of what was thought, said and asked for", async () => {
  const block = (index: number, start: object, ...deltas: object[]) =>
    [
      event({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ].join("");
  const events = await answer(
    "anthropic",
    [
      event({ type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } }),
      block(0, { type: "redacted_thinking", data: "sealed" }),
      block(1, { type: "tool_use", id: "a", name: "read", input: {} }),
      block(2, { type: "text", text: "" }, { type: "text_delta", text: "and" }),
      block(3, { type: "tool_use", id: "b", name: "read", input: {} }),
      // What the provider runs itself is no request to us.
      block(4, { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } }),
      event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } }),
      event({ type: "message_stop" }),
    ].join(""),
  );
  expect(events.slice(0, -1)).toEqual([
    { type: "thinking", text: "", meta: { anthropic: { redactedData: "sealed" } } },
    { type: "request", request: { id: "a", name: "read", args: {} } },
    { type: "text", text: "and" },
    { type: "request", request: { id: "b", name: "read", args: {} } },
  ]);
  expect(textOf(events)).toBe("and");
});

it("keeps the signature of a part of Gemini with the part", async () => {
  const events = await answer("gemini", STREAMS.gemini);
  expect(events.slice(0, 3)).toEqual([
    { type: "thinking", text: "Hm" },
    { type: "text", text: "Grüße" },
    { type: "request", request: { id: "a", name: "read", args: { path: "x" } }, meta: { google: { thoughtSignature: "sig" } } },
  ]);
});

it("compatible servers may give no index, no id, or arguments that are no text", async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const events = await answer(
    "compatible",
    [
      chunk({ tool_calls: [{ id: "one", function: { name: "read", arguments: { path: "x" } } }] }),
      chunk({ tool_calls: [{ id: "two", index: 0, function: { name: "read", arguments: '{"path":' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '"y"}' } }] }),
      chunk({ tool_calls: [{ index: 2, function: { name: "list" } }] }, "tool_calls"),
    ].join(""),
  );
  expect(requestsOf(events)).toEqual([
    { id: "one", name: "read", args: { path: "x" } },
    { id: "two", name: "read", args: { path: "y" } },
    { id: expect.stringMatching(/^call_[\w-]{36}$/), name: "list", args: {} },
  ]);
});

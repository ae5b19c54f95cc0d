import { afterEach, expect, it } from "vitest";
import type { Message } from "../../src/core/ports/model.ts";
import { type RawServer, SSE, STREAMS, startRaw } from "./raw.ts";
import { ask, hear, openWire, type WireName } from "./talk.ts";

let server: RawServer | undefined;
afterEach(() => server?.stop());

/** The bytes of a request with an image, as the server gets them. */
async function bytesOf(wire: WireName, images: boolean, messages: readonly Message[]): Promise<string> {
  const stream = wire === "compatible" || wire === "ollama" ? "chat" : wire;
  let body = "";
  server = await startRaw((response, _request, bytes) => {
    body = bytes.toString("utf8");
    response.writeHead(200, SSE).end(STREAMS[stream]);
  });
  await hear(openWire(wire, server.url, { images }), ask("", { messages: [...messages] }));
  return body;
}

const MESSAGE: Message = { role: "user", text: "What is it?", images: [{ mediaType: "image/png", data: "iVBORw0KGgo=" }] };
const URL_TEXT = "data:image/png;base64,iVBORw0KGgo=";

it.each<[WireName, string]>([
  [
    "anthropic",
    '{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"text","text":"What is it?","cache_control":{"type":"ephemeral"}}]}',
  ],
  ["responses", `{"role":"user","content":[{"type":"input_image","image_url":"${URL_TEXT}"},{"type":"input_text","text":"What is it?"}]}`],
  ["chat", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"${URL_TEXT}"}},{"type":"text","text":"What is it?"}]}`],
  ["compatible", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"${URL_TEXT}"}},{"type":"text","text":"What is it?"}]}`],
  ["ollama", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"${URL_TEXT}"}},{"type":"text","text":"What is it?"}]}`],
  ["gemini", '{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"What is it?"}]}'],
])("%s is sent an image before the words of its message", async (wire, text) => {
  expect(await bytesOf(wire, true, [MESSAGE])).toContain(text);
});

it.each<WireName>(["anthropic", "responses", "chat", "compatible", "ollama", "gemini"])(
  "%s that takes no images is told that there was one",
  async (wire) => {
    const body = await bytesOf(wire, false, [MESSAGE]);
    expect(body).toContain("What is it?\\n[1 image left out: this model takes none]");
    expect(body).not.toContain("iVBORw0KGgo");
  },
);

it("images are kept where several messages are told as one", async () => {
  const answered: Message[] = [
    { role: "user", text: "go" },
    { role: "assistant", model: "m", parts: [{ type: "request", id: "r", callId: "c", name: "read", args: {} }] },
    { role: "tool", id: "r", text: "read" },
    MESSAGE,
  ];
  let body = "";
  server = await startRaw((response, _request, bytes) => {
    body = bytes.toString("utf8");
    response.writeHead(200, SSE).end(STREAMS.chat);
  });
  await hear(openWire("compatible", server.url, { images: true }), ask("", { tools: [], messages: answered }));
  expect(body).toContain(URL_TEXT);
  expect(body).toContain("[result of read]");
});

import { afterEach, describe, expect, it } from "vitest";
import { checkMedia, type Media, type Message } from "../../src/index.ts";
import type { ProviderSetup } from "../../src/models/setup.ts";
import { gif, mp3, png, wav } from "../media-bytes.ts";
import { type RawServer, SSE, STREAMS, startRaw } from "./raw.ts";
import { anthropicFault } from "./rules-anthropic.ts";
import { geminiFault } from "./rules-gemini.ts";
import { chatFault, responsesFault } from "./rules-openai.ts";
import { ask, hear, openWire, WIRES, type WireName } from "./talk.ts";

// Images and recordings in the results of calls, in the form that each provider takes.

let server: RawServer | undefined;
afterEach(() => server?.stop());

const FAULTS: Readonly<Record<WireName, (body: any) => string | null>> = {
  anthropic: (body) => anthropicFault(body, new Map()),
  responses: (body) => responsesFault(body, new Map()),
  chat: chatFault,
  compatible: chatFault,
  ollama: chatFault,
  gemini: (body) => geminiFault(body, new Map()),
};

/** What the server gets, which a strict one would take. */
async function sent(wire: WireName, messages: readonly Message[], takes: Partial<ProviderSetup>, model?: string): Promise<any> {
  let body: any;
  server = await startRaw((response, _request, bytes) => {
    body = JSON.parse(bytes.toString("utf8"));
    response.writeHead(200, SSE).end(STREAMS[wire === "compatible" || wire === "ollama" ? "chat" : wire]);
  });
  const { type, model: usual } = WIRES[wire];
  const asked = { name: "here", type, model: model ?? usual, url: server.url, key: { from: "TEST_KEY", value: "k" } };
  await hear(openWire(wire, server.url, { asked, ...takes }), ask("", { messages: [...messages] }));
  await server.stop();
  expect(FAULTS[wire](body)).toBeNull();
  return body;
}

const media = (bytes: Buffer, type: string): Media => {
  const checked = checkMedia(bytes, type);
  if ("refused" in checked) throw new Error(checked.refused);
  return checked;
};
const PNG = media(png(), "image/png");
const GIF = media(gif(), "image/gif");
const WAV = media(wav(), "audio/wav");
const MP3 = media(mp3(), "audio/mpeg");
const URL_OF_PNG = `data:image/png;base64,${PNG.data}`;

/** Two calls at once, of which the first returned something besides text. */
const returning = (first: readonly Media[], failed?: true): Message[] => [
  { role: "user", text: "go" },
  {
    role: "assistant",
    model: "other/model",
    parts: ["a", "b"].map((id) => ({ type: "request", id, callId: `call-${id}`, name: "read", args: {} })),
  },
  { role: "tool", id: "a", text: "[image 1]", media: first, ...(failed && { failed }) },
  { role: "tool", id: "b", text: "plain" },
  { role: "user", text: "and now?" },
];
const ALL = { images: true, audio: true };

describe("what a tool returned besides text", () => {
  it("stands inside the result at Anthropic, and behind all results where it is an error", async () => {
    const source = { type: "base64", media_type: "image/png", data: PNG.data };
    const [, , { content }] = (await sent("anthropic", returning([PNG]), ALL)).messages;
    expect(content[0].content).toEqual([
      { type: "text", text: "[image 1]" },
      { type: "image", source },
    ]);
    expect(content[1]).toMatchObject({ type: "tool_result", content: "plain" });
    const [, , { content: failed }] = (await sent("anthropic", returning([PNG], true), ALL)).messages;
    expect(failed.map(({ type }: any) => type)).toEqual(["tool_result", "tool_result", "text", "image", "text"]);
    expect(failed[0]).toMatchObject({ is_error: true, content: "[image 1]" });
    expect(failed[2].text).toBe("[returned by read]");
  });

  it("stands inside the output at OpenAI's own API", async () => {
    const { input } = await sent("responses", returning([PNG, GIF]), { images: true });
    expect(input.find(({ call_id, type }: any) => call_id === "a" && type === "function_call_output").output).toEqual([
      { type: "input_text", text: "[image 1]" },
      { type: "input_image", image_url: URL_OF_PNG },
      { type: "input_image", image_url: `data:image/gif;base64,${GIF.data}` },
    ]);
    expect(input.find(({ call_id, type }: any) => call_id === "b" && type === "function_call_output").output).toBe("plain");
  });

  it.each<WireName>(["chat", "compatible", "ollama"])(
    "stands behind all results at %s, in a message that says whose it is",
    async (wire) => {
      const { messages } = await sent(wire, returning([PNG, WAV, MP3]), ALL);
      expect(messages.slice(-4)).toEqual([
        { role: "tool", tool_call_id: "a", content: "[image 1]" },
        { role: "tool", tool_call_id: "b", content: "plain" },
        {
          role: "user",
          content: [
            { type: "text", text: "[returned by read]" },
            { type: "image_url", image_url: { url: URL_OF_PNG } },
            { type: "input_audio", input_audio: { data: WAV.data, format: "wav" } },
            { type: "input_audio", input_audio: { data: MP3.data, format: "mp3" } },
          ],
        },
        { role: "user", content: "and now?" },
      ]);
    },
  );

  it("stands inside the response at Gemini from the third generation on, and behind it before that", async () => {
    const inlineData = { mimeType: "image/png", data: PNG.data };
    const newer = (await sent("gemini", returning([PNG, MP3, GIF]), ALL)).contents[2].parts;
    expect(newer[0].functionResponse).toMatchObject({ response: { output: "[image 1]" }, parts: [{ inlineData }] });
    expect(newer.slice(2, -1)).toEqual([
      { text: "[returned by read]" },
      { inlineData: { mimeType: "audio/mp3", data: MP3.data } },
      { text: "[a GIF image left out: this API takes none]" },
    ]);
    const older = (await sent("gemini", returning([PNG]), ALL, "gemini-2.5-flash")).contents[2].parts;
    expect(older[0].functionResponse.parts).toBeUndefined();
    expect(older.slice(2, -1)).toEqual([{ text: "[returned by read]" }, { inlineData }]);
  });

  it.each(Object.keys(WIRES) as WireName[])("is told in words to %s where it takes none of it", async (wire) => {
    const text = JSON.stringify(await sent(wire, returning([PNG, WAV]), {}));
    expect(text).toContain("[image 1]\\n[1 image and 1 recording left out: this model takes none]");
    expect(text).not.toContain(PNG.data.slice(0, 40));
    expect(text).not.toContain(WAV.data.slice(0, 40));
  });

  it("is told in words as far as it is not taken", async () => {
    const { messages } = await sent("anthropic", returning([PNG, WAV]), { images: true });
    expect(messages[2].content[0].content.map(({ type, text }: any) => text ?? type)).toEqual([
      "[image 1]\n[1 recording left out: this model takes none]",
      "image",
    ]);
  });

  it("goes along where results are told as words, but for recordings", async () => {
    let body: any;
    server = await startRaw((response, _request, bytes) => {
      body = JSON.parse(bytes.toString("utf8"));
      response.writeHead(200, SSE).end(STREAMS.chat);
    });
    await hear(openWire("compatible", server.url, ALL), ask("", { tools: [], messages: returning([PNG, WAV]) }));
    const content = body.messages.at(-1).content;
    expect(content[0]).toEqual({ type: "image_url", image_url: { url: URL_OF_PNG } });
    expect(content.at(-1).text).toContain("[result of read]\n[image 1]\n[1 recording left out: only a result holds such]");
  });
});

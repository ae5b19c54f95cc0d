import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Elicit, Elicitation } from "../../src/core/ports/elicitation.ts";
import type { Sampled, SampleWish, Sampling, SamplingLimits } from "../../src/core/ports/mcp/sampling.ts";
import { png } from "../media-bytes.ts";
import { bench, diary, hostile, serverConfig } from "./client-support.ts";

// What servers may ask our model: nothing, unless the configuration says so; then one thing at a time, asked about and counted.

const media = (more: object = {}) =>
  serverConfig({
    name: "media",
    command: process.execPath,
    args: [fileURLToPath(new URL("./media-server.mjs", import.meta.url))],
    timeout_secs: 60,
    sampling: true,
    ...more,
  });

const LIMITS: SamplingLimits = { max_requests: 20, max_tokens: 100_000, max_answer_tokens: 4096, timeout_secs: 120 };

/** A model that is lent, and everything that happens to it. */
function lent(
  answer: Partial<Sampled> | ((wish: SampleWish, signal: AbortSignal) => Promise<Sampled>) = {},
  limits: Partial<SamplingLimits> = {},
) {
  const wishes: SampleWish[] = [];
  const notes: string[] = [];
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
  const sampling: Sampling = {
    limits: { ...LIMITS, ...limits },
    async answer(wish, signal) {
      wishes.push(wish);
      return typeof answer === "function"
        ? answer(wish, signal)
        : { text: "An answer.", model: "test/model", why: "end", usage, ...answer };
    },
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
    note: (text) => void notes.push(text),
  };
  return { sampling, wishes, notes };
}

/** A person who says this to everything, and what they were asked. */
function person(action: "accept" | "decline" | "cancel" = "accept") {
  const asked: Elicitation[] = [];
  const elicit: Elicit = async (question) => {
    asked.push(question);
    return action === "accept" ? { action, content: {} } : { action };
  };
  return { elicit, asked };
}

const user = (text: string) => ({ role: "user", content: { type: "text", text } });
const THINK = "mcp__media__think";
const ECHO = "mcp__bad__echo";
const hello = { text: "hello" };
const inVain = (wishes: readonly object[]) =>
  hostile("asks for sampling in vain", { sampling: true, env: { WISHES: JSON.stringify(wishes) } });
/** What a server read in place of an answer. */
const refusals = (text: string): string[] =>
  JSON.parse(text).map(({ error }: { error?: { message: string } }) => error?.message.replace(/^.*was refused: /, ""));

describe("a server that may ask the model", () => {
  it("gets an answer after the person said yes, in the words of the protocol", async () => {
    const { sampling, wishes, notes } = lent({ why: "length" });
    const { elicit, asked } = person();
    const { call } = await bench([media()], { sampling, elicit });
    const params = {
      messages: [user("What is 2 + 2?"), { role: "assistant", content: { type: "text", text: "Well" } }, user("Say it.")],
      systemPrompt: "Be short.",
      maxTokens: 50,
      includeContext: "none",
      stopSequences: ["END"],
      temperature: 0.3,
    };
    expect(JSON.parse((await call(THINK, { params })).text)).toEqual({
      role: "assistant",
      content: { type: "text", text: "An answer." },
      model: "test/model",
      stopReason: "maxTokens",
    });
    expect(wishes).toEqual([
      {
        system: "Be short.",
        messages: [
          { role: "user", text: "What is 2 + 2?" },
          { role: "assistant", model: "", parts: [{ type: "text", text: "Well" }] },
          { role: "user", text: "Say it." },
        ],
        maxTokens: 50,
        stop: ["END"],
      },
    ]);
    expect(asked).toEqual([
      {
        kind: "form",
        from: "media",
        fields: [],
        message:
          "It wants your model to answer what stands below, with at most 50 tokens. You pay for it, and the answer goes to that server. Nothing else is sent.\n\n[system] Be short.\n[user] What is 2 + 2?\n[assistant] Well\n[user] Say it.",
      },
    ]);
    expect(notes).toEqual([
      "the MCP server media asked the model: allowed by the person, test/model, 10 tokens in and 5 out, 1 of 20 requests",
    ]);
  });

  it("sends and gets no secret, and hides nothing", async () => {
    const { sampling, wishes } = lent({ text: "the key is sk-secret" });
    const { elicit, asked } = person();
    const { call } = await bench([media()], { sampling, elicit });
    const { text } = await call(THINK, { params: { messages: [user("use sk-secret\u200b\u{e0041}")], maxTokens: 5 } });
    expect(JSON.parse(text).content.text).toBe("the key is [redacted]");
    expect(wishes[0]!.messages).toEqual([{ role: "user", text: "use [redacted]" }]);
    expect(asked[0]!.message).toContain("[user] use [redacted]");
  });

  it("may send an image whose bytes are one", async () => {
    const { sampling, wishes } = lent();
    const { call, failure } = await bench([media({ sampling: "allow" })], { sampling });
    const image = { type: "image", mimeType: "image/png", data: png().toString("base64") };
    const content = [{ type: "text", text: "What is it?" }, image];
    await call(THINK, { params: { messages: [{ role: "user", content }], maxTokens: 5 } });
    expect(wishes[0]!.messages).toEqual([{ role: "user", text: "What is it?", images: [{ mediaType: "image/png", data: image.data }] }]);
    const svg = { ...image, data: Buffer.from("<svg/>").toString("base64") };
    const wrong = { messages: [{ role: "user", content: [content[0], svg] }], maxTokens: 5 };
    expect((await failure(THINK, { params: wrong })).message).toContain("an image of it is not image/png, or is broken");
    expect(wishes).toHaveLength(1);
  });

  it("asks nobody where the configuration allows it", async () => {
    const { sampling, notes } = lent();
    const { call } = await bench([media({ sampling: "allow" })], { sampling });
    expect((await call(THINK, { params: { messages: [user("hi")], maxTokens: 5 } })).text).toContain("An answer.");
    expect(notes[0]).toContain("allowed by the configuration");
  });

  it.each(["decline", "cancel"] as const)(
    "gets none when the person says %s, and our model is told why the call failed",
    async (action) => {
      const { sampling, wishes, notes } = lent();
      const { failure } = await bench([media()], { sampling, ...person(action) });
      const error = await failure(THINK, { params: { messages: [user("hi")], maxTokens: 5 } });
      expect(error).toMatchObject({ category: "policy_blocked" });
      expect(error.message).toBe(
        `The MCP server "media" wanted an answer of the model, and was refused: ${action === "decline" ? "the person said no" : "nobody answered the question about it"}.`,
      );
      expect(wishes).toEqual([]);
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain("refused");
    },
  );

  it("gets none where nobody is there, and none where there is no model", async () => {
    const { sampling, wishes } = lent();
    const { failure } = await bench([media()], { sampling, elicit: null });
    const params = { messages: [user("hi")], maxTokens: 5 };
    expect((await failure(THINK, { params })).message).toContain("nobody is there to be asked");
    const bare = await bench([media()], { sampling: { ...sampling, answer: null }, ...person() });
    expect((await bare.failure(THINK, { params })).message).toContain("there is no model here");
    expect(wishes).toEqual([]);
  });

  it("is not told that it may ask, unless the configuration says so", async () => {
    const { sampling, wishes } = lent();
    const { elicit, asked } = person();
    const { call } = await bench([hostile("asks for sampling")], { sampling, elicit });
    expect((await call(ECHO, hello)).text).toContain("Method not found");
    expect([wishes, asked]).toEqual([[], []]);
  });

  it("asks for what is not given, in vain", async () => {
    const { sampling, wishes, notes } = lent();
    const { elicit, asked } = person();
    const good = { messages: [user("hi")], maxTokens: 5 };
    const { call } = await bench(
      [
        inVain([
          { ...good, includeContext: "allServers" },
          { ...good, tools: [{ name: "bash", inputSchema: { type: "object" } }] },
          { ...good, messages: [] },
          { ...good, maxTokens: 0 },
          { ...good, messages: [{ role: "assistant", content: { type: "text", text: "I" } }] },
          { ...good, messages: [{ role: "user", content: { type: "audio", data: "AAAA", mimeType: "audio/wav" } }] },
          { ...good, messages: [user("LONG30000")] },
          { ...good, messages: [user("LONG300000")] },
          { ...good, messages: [user("  ")] },
        ]),
      ],
      { sampling, elicit },
    );
    expect(refusals((await call(ECHO, hello)).text)).toEqual([
      "nothing of the conversation is given to servers.",
      "no tools are offered in sampling.",
      "it takes from 1 to 100 messages.",
      "maxTokens is a number from 1 on.",
      "the first message has to be one of the user.",
      "only texts, and images of the user, can be sent.",
      "a person is shown at most 20000 characters, and it has 30007.",
      "its messages have more than 200000 characters.",
      "a message of it has no text.",
    ]);
    expect([wishes, asked]).toEqual([[], []]);
    expect(notes).toHaveLength(9);
  });

  it("asks no more in a call in which the person said no", async () => {
    const { sampling } = lent();
    const { elicit, asked } = person("decline");
    const good = { messages: [user("hi")], maxTokens: 5 };
    const { call } = await bench([inVain([good, good, good])], { sampling, elicit });
    const no = "the person said no during this call.";
    expect(refusals((await call(ECHO, hello)).text)).toEqual(["the person said no.", no, no]);
    expect(asked).toHaveLength(1);
    await call(ECHO, hello);
    expect(asked).toHaveLength(2);
  });

  it("has so many requests, tokens and tokens of an answer", async () => {
    const { sampling, wishes } = lent(
      { usage: { input: 30, output: 20, cacheRead: 0, cacheWrite: 0 } },
      { max_requests: 3, max_answer_tokens: 7 },
    );
    const good = { messages: [user("hi")], maxTokens: 500 };
    const { call } = await bench([inVain([good, good, good, good])], { sampling, ...person() });
    const got = refusals((await call(ECHO, hello)).text);
    expect(got).toEqual([undefined, undefined, undefined, "it has asked 3 times, which is the most (mcp.sampling.max_requests)."]);
    expect(wishes.map(({ maxTokens }) => maxTokens)).toEqual([7, 7, 7]);
    // The count goes on after the program was started again.
    expect(refusals((await call(ECHO, hello)).text)[0]).toContain("it has asked 3 times");
    const small = lent({ usage: { input: 30, output: 20, cacheRead: 0, cacheWrite: 0 } }, { max_tokens: 60 });
    const other = await bench(
      [
        inVain([
          { ...good, maxTokens: 40 },
          { ...good, maxTokens: 40 },
        ]),
      ],
      { sampling: small.sampling, ...person() },
    );
    expect(refusals((await other.call(ECHO, hello)).text)).toEqual([
      undefined,
      "it would have used more than 60 tokens, which is the most (mcp.sampling.max_tokens).",
    ]);
  });

  it("has used a request with each that is refused for what it says", async () => {
    const { sampling, wishes } = lent({}, { max_requests: 3 });
    const good = { messages: [user("hi")], maxTokens: 5 };
    const wrong = { ...good, messages: [] };
    const { call } = await bench([inVain([wrong, wrong, good, good])], { sampling, ...person() });
    const no = "it takes from 1 to 100 messages.";
    const most = "it has asked 3 times, which is the most (mcp.sampling.max_requests).";
    expect(refusals((await call(ECHO, hello)).text)).toEqual([no, no, undefined, most]);
    expect(wishes).toHaveLength(1);
  });

  it("has used all that an answer may have when the model fails", async () => {
    const { sampling, wishes } = lent(
      async () => {
        throw new Error("no");
      },
      { max_tokens: 100 },
    );
    const good = { messages: [user("hi")], maxTokens: 50 };
    const { call } = await bench([inVain([good, good])], { sampling, ...person() });
    expect(refusals((await call(ECHO, hello)).text)).toEqual([
      "the model failed: no.",
      "it would have used more than 100 tokens, which is the most (mcp.sampling.max_tokens).",
    ]);
    expect(wishes).toHaveLength(1);
  });

  it("floods, and costs what its limits say", async () => {
    const { sampling, wishes, notes } = lent({}, { max_requests: 4 });
    const { elicit, asked } = person();
    const { call } = await bench([hostile("floods with sampling", { sampling: true })], { sampling, elicit });
    const got = refusals((await call(ECHO, hello)).text);
    expect(got).toHaveLength(500);
    expect(got.filter((why) => why === undefined)).toHaveLength(4);
    expect([wishes.length, asked.length]).toEqual([4, 4]);
    expect(notes.length).toBeLessThan(10);
  });

  it("asks out of the blue, and nobody is asked", async () => {
    const { sampling, wishes } = lent();
    const { elicit, asked } = person();
    const book = diary();
    const { call } = await bench([hostile("asks for sampling out of the blue", { file: book.file, sampling: true })], { sampling, elicit });
    expect((await call(ECHO, hello)).text).toBe("done");
    await expect.poll(() => book.count("answered")).toBe(1);
    expect(book.lines().at(-1)).toContain("it may only ask during a call");
    expect([wishes, asked]).toEqual([[], []]);
  });

  it("is not waited for when the call is cancelled, and the model is stopped", async () => {
    const stop = new AbortController();
    let stopped = false;
    const { sampling } = lent(
      (_wish, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason);
          });
          stop.abort();
        }),
    );
    const { failure } = await bench([media({ sampling: "allow" })], { sampling });
    const error = await failure(THINK, { params: { messages: [user("hi")], maxTokens: 5 } }, { signal: stop.signal });
    expect(error).toMatchObject({ category: "cancelled" });
    await expect.poll(() => stopped).toBe(true);
  });

  it("reads that the model failed, and no secret", async () => {
    const { sampling, notes } = lent(async () => {
      throw new Error("the provider refused sk-secret");
    });
    const good = { messages: [user("hi")], maxTokens: 5 };
    const { call } = await bench([inVain([good])], { sampling, ...person() });
    expect(refusals((await call(ECHO, hello)).text)).toEqual(["the model failed: the provider refused [redacted]."]);
    expect(notes).toEqual(["the MCP server bad asked the model: allowed by the person, and failed"]);
  });
});

import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Message, MessagePart, Prompt } from "../../src/core/ports/model.ts";
import { createFencedModel } from "../../src/models/fenced-model.ts";
import { type Checker, startChecker } from "./checker.ts";
import { answerOf, ask, hear, KEY, openWire, READ, requestsOf, textOf, WIRE_NAMES, type WireName } from "./talk.ts";

const USAGE = { input_tokens: 11, output_tokens: 5, prompt_tokens: 11, completion_tokens: 5 };
const KEY_HEADERS: Partial<Record<WireName, string>> = { anthropic: "x-api-key", gemini: "x-goog-api-key" };
const call = (id: string, path: string) => ({ id, name: "read", arguments: JSON.stringify({ path }) });

const mock = new LLMock({ port: 0 });
let checker: Checker;
beforeAll(async () => {
  mock.on({ userMessage: "hello" }, { content: "Hello there.", usage: USAGE });
  mock.on(
    { userMessage: "read both", hasToolResult: false },
    {
      content: "I look.",
      reasoning: "Two files.",
      reasoningSignature: "c2lnbmVk",
      toolCalls: [call("call_1", "a"), call("call_2", "b")],
      usage: USAGE,
    },
  );
  mock.on(
    { userMessage: "read both", hasToolResult: true, toolCallId: "call_2" },
    { toolCalls: [call("call_3", "c")], reasoning: "One more.", reasoningSignature: "bW9yZQ", usage: USAGE },
  );
  mock.on({ userMessage: "read both", hasToolResult: true }, { content: "Both read.", usage: USAGE });
  mock.on({ userMessage: "fence" }, { content: 'I look.\n\n```read\n{"path":"a"}\n```\n', usage: USAGE });
  mock.on({ userMessage: "[result of read]" }, { content: "It is A.", usage: USAGE });
  await mock.start();
});
afterAll(() => mock.stop());
beforeEach(async () => {
  checker = await startChecker(mock.url);
});
afterEach(() => checker.stop());

const tool = (id: string, text: string, failed?: true): Message => ({ role: "tool", id, text, ...(failed && { failed }) });
const faults = () => checker.seen.map(({ fault }) => fault).filter((fault) => fault !== null);

/** A turn as an agent has it: answers and results until nothing more is asked for, then one more question. */
async function wholeTurn(wire: WireName) {
  const model = openWire(wire, checker.url, { reasoning: true });
  const messages: Message[] = [{ role: "user", text: "read both" }];
  const answers = [];
  for (let i = 0; i < 6; i++) {
    const events = await hear(model, ask("", { messages: [...messages] }));
    answers.push(events);
    messages.push(answerOf(model, events));
    const requests = requestsOf(events);
    // Results come in any order; the wire wants that of the requests.
    messages.push(...requests.toReversed().map(({ id }) => tool(id, `content for ${id}`, id === "call_1" ? true : undefined)));
    if (requests.length === 0) break;
  }
  messages.push({ role: "user", text: "hello", from: "loop" }, { role: "user", text: "hello again" });
  answers.push(await hear(model, ask("", { messages })));
  return { model, messages, answers };
}

describe.each(WIRE_NAMES)("%s", (wire) => {
  it("streams text and counts tokens", async () => {
    const events = await hear(openWire(wire, checker.url), ask("hello"));
    expect(textOf(events)).toBe("Hello there.");
    expect(events.at(-1)).toEqual({ type: "end", finish: "stop", usage: { input: 11, cacheRead: 0, cacheWrite: 0, output: 5 } });
  });

  it("sends the key where the API looks for it, and nowhere else", async () => {
    await hear(openWire(wire, checker.url), ask("hello"));
    const [{ headers, text }] = checker.seen as [Checker["seen"][number]];
    const own = KEY_HEADERS[wire];
    expect(own ? headers[own] : headers.authorization).toBe(own ? KEY : `Bearer ${KEY}`);
    expect(text).not.toContain(KEY);
  });

  it("keeps a turn of parallel calls, thinking and failures legal to its end", async () => {
    const { answers } = await wholeTurn(wire);
    expect(faults()).toEqual([]);
    expect(answers).toHaveLength(4);
    expect(requestsOf(answers[0]!).map(({ id, args }) => [id, args])).toEqual([
      ["call_1", { path: "a" }],
      ["call_2", { path: "b" }],
    ]);
    expect(answers[0]!.at(-1)).toMatchObject({ type: "end", finish: "calls" });
    expect(textOf(answers[2]!)).toBe("Both read.");
    expect(textOf(answers[3]!)).toBe("Hello there.");
    if (wire !== "chat") expect(answers[0]!.some(({ type }) => type === "thinking")).toBe(true);
  });

  it("gives every request the one before it as its beginning", async () => {
    await wholeTurn(wire);
    const pieces = checker.seen.map(({ text }) => parts(text));
    for (const [i, now] of pieces.entries()) {
      expect(now.fixed).toBe(pieces[0]!.fixed);
      const before = pieces[i - 1]?.messages ?? [];
      expect(now.messages.length).toBeGreaterThan(before.length);
      expect(now.messages.slice(0, before.length)).toEqual(before);
    }
  });

  it("gives the same bytes for the same messages", async () => {
    const { model, messages } = await wholeTurn(wire);
    const [first, second] = await Promise.all([
      hear(model, ask("", { messages })),
      hear(model, ask("", { messages: structuredClone(messages) })),
    ]);
    expect(textOf(first)).toBe(textOf(second));
    expect(checker.seen.at(-1)!.text).toBe(checker.seen.at(-2)!.text);
  });

  it("takes over the conversation of any other model", async () => {
    for (const other of WIRE_NAMES) {
      const { messages } = await wholeTurn(other);
      checker.seen.length = 0;
      const model = openWire(wire, checker.url, {
        asked: { name: "new", type: wire, model: "another", url: checker.url, key: { from: "K", value: KEY } },
      });
      expect(textOf(await hear(model, ask("", { messages })))).toBe("Hello there.");
      expect(faults()).toEqual([]);
      expect(checker.seen[0]!.text).not.toMatch(/Two files|c2lnbmVk|encrypted_content":"|reasoning_content/);
    }
  });

  it("makes names and ids fit that no provider takes", async () => {
    const model = openWire(wire, checker.url);
    const request = (id: string, name: string): MessagePart => ({ type: "request", id, callId: id, name, args: {} });
    const messages: Message[] = [
      { role: "user", text: "go" },
      { role: "assistant", model: "else/where", parts: [request("functions.read:0", "functions.read"), request("x".repeat(200), "")] },
      tool("functions.read:0", "there is no such tool", true),
      tool("x".repeat(200), "nor this", true),
      { role: "assistant", model: model.id, parts: [request("own", `read ${"me".repeat(100)}`)] },
      tool("own", "nor this", true),
      { role: "user", text: "hello" },
    ];
    expect(textOf(await hear(model, ask("", { messages })))).toBe("Hello there.");
    expect(faults()).toEqual([]);
    expect(checker.seen[0]!.text).toMatch(/functions_read_0.*there is no such tool/);
  });

  it("sends nothing that is empty and leaves no request without result", async () => {
    const model = openWire(wire, checker.url);
    const messages: Message[] = [
      { role: "user", text: "read" },
      { role: "user", text: " \n" },
      {
        role: "assistant",
        model: model.id,
        parts: [
          { type: "text", text: "" },
          { type: "request", id: "x1", callId: "1", name: "read", args: { path: "\ud83d" } },
          { type: "request", id: "x2", callId: "2", name: "read", args: [] },
        ],
      },
      { role: "user", text: "hello, said in between" },
      tool("x2", ""),
      tool("unknown", "of nobody"),
      { role: "assistant", model: model.id, parts: [{ type: "thinking", text: "only" }] },
      { role: "user", text: "hello \udc00" },
    ];
    expect(textOf(await hear(model, ask("", { messages, system: "" })))).toBe("Hello there.");
    expect(faults()).toEqual([]);
    expect(checker.seen[0]!.text).not.toMatch(/\\ud[89a-f]/);
    expect(checker.seen[0]!.text).not.toContain("of nobody");
  });

  it("can be asked about a conversation with calls when no tool is offered", async () => {
    const { model, messages } = await wholeTurn(wire);
    expect(textOf(await hear(model, ask("", { messages, tools: [] })))).toBe("Hello there.");
    expect(faults()).toEqual([]);
    expect(checker.seen.at(-1)!.text).toMatch(/\[result of read\].{0,4}content for call_1/);
  });

  it("works without native tool use", async () => {
    const model = createFencedModel(openWire(wire, checker.url));
    const prompt = (messages: Message[]): Prompt => ({ system: "You are a test.", tools: [READ], messages });
    const first = await hear(model, prompt([{ role: "user", text: "fence" }]));
    const [request] = requestsOf(first);
    expect(request).toMatchObject({ name: "read", args: { path: "a" } });
    const second = await hear(model, prompt([{ role: "user", text: "fence" }, answerOf(model, first), tool(request!.id, "A")]));
    expect(textOf(second)).toBe("It is A.");
    expect(faults()).toEqual([]);
    expect(checker.seen.every(({ body }) => !body.tools?.length)).toBe(true);
    expect(checker.seen[1]!.text).toContain("```read");
  });
});

/** The parts of a request that must stay, and its messages one by one, without the marks of the cache. */
function parts(text: string): { readonly fixed: string; readonly messages: string[] } {
  const body = JSON.parse(text, (key, value) => (key === "cache_control" ? undefined : value));
  const { messages, input, contents, ...fixed } = body;
  const list: any[] = messages ?? input ?? contents;
  // The Messages API takes results and what is said behind them as one message; its blocks are what grows.
  return {
    fixed: JSON.stringify(fixed),
    messages: list.flatMap(({ role, content, parts = content, ...rest }) =>
      (Array.isArray(parts) ? parts : [parts]).map((one) => JSON.stringify({ role, one, ...rest })),
    ),
  };
}

it.each<[WireName, (body: any) => unknown]>([
  ["anthropic", ({ max_tokens }) => max_tokens],
  ["responses", ({ max_output_tokens }) => max_output_tokens],
  ["chat", ({ max_completion_tokens }) => max_completion_tokens],
  ["compatible", ({ max_tokens }) => max_tokens],
  ["gemini", ({ generationConfig }) => generationConfig?.maxOutputTokens],
])("%s is told of the limit of one request, and of the smaller of two", async (wire, limit) => {
  const model = openWire(wire, checker.url, { maxOutputTokens: 500 });
  for (const maxOutputTokens of [50, 900, undefined])
    await hear(model, ask("hello", maxOutputTokens === undefined ? {} : { maxOutputTokens }));
  await hear(createFencedModel(openWire(wire, checker.url)), ask("hello", { maxOutputTokens: 60 }));
  expect(checker.seen.map(({ body }) => limit(body))).toEqual([50, 500, 500, 60]);
  expect(faults()).toEqual([]);
});

describe("anthropic", () => {
  it("does not think where the limit of a request leaves no room for it", async () => {
    const model = openWire("anthropic", checker.url, { reasoning: true, thinkingTokens: 2000 });
    await hear(model, ask("hello", { maxOutputTokens: 2000 }));
    await hear(model, ask("hello", { maxOutputTokens: 2001 }));
    expect(checker.seen.map(({ body }) => [body.max_tokens, body.thinking])).toEqual([
      [2000, undefined],
      [2001, { type: "enabled", budget_tokens: 2000 }],
    ]);
  });

  it("marks at most four places, which only move forward", async () => {
    await wholeTurn("anthropic");
    const marked = checker.seen.map(({ body }) => ({
      system: body.system.filter((block: any) => block.cache_control).length,
      tools: body.tools.map((one: any) => Boolean(one.cache_control)),
      messages: body.messages.flatMap(({ content }: any, i: number) => (content.at(-1).cache_control ? [i] : [])),
      all: JSON.stringify(body).split('"cache_control"').length - 1,
    }));
    expect(marked.map(({ all }) => all)).toEqual([3, 4, 4, 4]);
    expect(marked.every(({ system, tools }) => system === 1 && tools.at(-1))).toBe(true);
    // The newest mark of one request is the older one of the next.
    expect(marked.map(({ messages }) => messages)).toEqual([[0], [0, 2], [2, 4], [4, 6]]);
  });

  it("says how much may be answered, and adds what may be thought", async () => {
    await hear(openWire("anthropic", checker.url, { maxOutputTokens: 500 }), ask("hello"));
    await hear(openWire("anthropic", checker.url, { maxOutputTokens: 500, reasoning: true, thinkingTokens: 2000 }), ask("hello"));
    await hear(openWire("anthropic", checker.url), ask("hello"));
    expect(checker.seen.map(({ body }) => [body.max_tokens, body.thinking])).toEqual([
      [500, undefined],
      [2500, { type: "enabled", budget_tokens: 2000 }],
      [32_000, undefined],
    ]);
  });

  it("asks older models for no more than they can say, and the newest for no number of thoughts", async () => {
    const warnings: string[] = [];
    const open = (model: string, more: object) =>
      openWire("anthropic", checker.url, {
        asked: { name: "here", type: "anthropic", model, url: checker.url, key: { from: "K", value: KEY } },
        warn: (message) => warnings.push(message),
        ...more,
      });
    await hear(open("claude-3-haiku-20240307", {}), ask("hello"));
    await hear(open("claude-opus-4-1", { reasoning: true }), ask("hello"));
    await hear(open("claude-sonnet-5-5", { reasoning: true, thinkingTokens: 2000 }), ask("hello"));
    expect(checker.seen.map(({ body }) => [body.max_tokens, body.thinking])).toEqual([
      [4096, undefined],
      [32_000, { type: "enabled", budget_tokens: 8192 }],
      [32_000, { type: "adaptive", display: "summarized" }],
    ]);
    expect(warnings).toEqual([expect.stringContaining("thinking_tokens is without effect")]);
  });

  it("takes its address with and without the version", async () => {
    for (const url of [checker.url, checker.url.replace("/v1", ""), `${checker.url}/`])
      expect(textOf(await hear(openWire("anthropic", url), ask("hello")))).toBe("Hello there.");
  });
});

describe("compatible", () => {
  it("gives thinking back only to a server that is said to reason", async () => {
    for (const reasoning of [true, false]) {
      const model = openWire("compatible", checker.url, { reasoning });
      const first = await hear(model, ask("read both"));
      const results = requestsOf(first).map(({ id }) => tool(id, "x"));
      await hear(model, ask("", { messages: [{ role: "user", text: "read both" }, answerOf(model, first), ...results] }));
      expect(checker.seen.at(-1)!.text.includes("reasoning_content")).toBe(reasoning);
    }
  });
});

describe("responses", () => {
  it("stores nothing there and asks for its thinking sealed", async () => {
    await hear(openWire("responses", checker.url), ask("hello"));
    expect(checker.seen[0]!.body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  });
});

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import type { ModelEvent } from "../../src/core/ports/model.ts";
import { createFencedModel } from "../../src/models/fenced-model.ts";
import { scriptModel } from "../../src/models/script-model.ts";
import { describeModel } from "../../src/testing/model-contract.ts";
import { type Checker, startChecker } from "../wire/checker.ts";
import { ask, hear, KEY, openWire, WIRE_NAMES } from "../wire/talk.ts";

const mock = new LLMock({ port: 0 });
let checker: Checker;
beforeAll(async () => {
  mock.on({ userMessage: "text" }, { content: "Hello there." });
  mock.on(
    { userMessage: "calls" },
    {
      content: "I look.",
      toolCalls: ["a", "b"].map((path) => ({ id: `call_${path}`, name: "read", arguments: JSON.stringify({ path }) })),
    },
  );
  await mock.start();
  checker = await startChecker(mock.url);
});
afterAll(async () => {
  await checker.stop();
  await mock.stop();
});

const SAID: Readonly<Record<"text" | "calls", readonly ModelEvent[]>> = {
  text: [
    { type: "text", text: "Hello " },
    { type: "text", text: "there." },
  ],
  calls: [
    { type: "text", text: "I look." },
    { type: "request", request: { id: "a", name: "read", args: { path: "a" } } },
    { type: "request", request: { id: "b", name: "read", args: { path: "b" } } },
  ],
};
const FENCED: typeof SAID = {
  text: SAID.text,
  calls: [
    { type: "text", text: 'I look.\n```read\n{"path":"a"}\n``' },
    { type: "text", text: '`\nand\n~~~read\n{"path":"b"}\n~~~\n' },
  ],
};

describeModel({ describe, it }, "script", { open: (says) => scriptModel([SAID[says]]) });
describeModel({ describe, it }, "fenced script", { open: (says) => createFencedModel(scriptModel([FENCED[says]])) });
const sdk = () => ({ baseURL: checker.url, apiKey: KEY });
describeModel({ describe, it }, "anthropic of the AI SDK", { open: () => fromAiSdk(createAnthropic(sdk())("claude-sonnet-4-5")) });
describeModel({ describe, it }, "openai of the AI SDK", {
  open: () => fromAiSdk(createOpenAI(sdk()).responses("gpt-4.1"), { providerOptions: { openai: { store: false } } }),
});
for (const wire of WIRE_NAMES) describeModel({ describe, it }, wire, { open: () => openWire(wire, checker.url) });

it("a model of the AI SDK is told of the limit of one request", async () => {
  const model = fromAiSdk(createAnthropic(sdk())("claude-sonnet-4-5"), { maxOutputTokens: 500 });
  for (const maxOutputTokens of [50, 900]) await hear(model, ask("text", { maxOutputTokens }));
  expect(checker.seen.slice(-2).map(({ body }) => body.max_tokens)).toEqual([50, 500]);
});

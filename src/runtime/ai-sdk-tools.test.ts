import { setTimeout as sleep } from "node:timers/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { LLMock } from "@copilotkit/aimock";
import { generateText, stepCountIs, streamText, type ToolSet } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type Workspace, workspace } from "../../test/workspace.ts";
import { defineTool, type RuntimeOptions, type Zeph } from "../index.ts";

let place: Workspace;
let mock: LLMock;
let zeph: Zeph;

beforeEach(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "Hello.\n" }]);
  mock = new LLMock({ port: 0, logLevel: "silent" });
  await mock.start();
});
afterEach(async () => {
  await zeph.close();
  await mock.stop();
  place.remove();
});

test("someone's own agent calls a tool and reads its output", async () => {
  zeph = await place.runtime();
  asks("read", { path: "a.txt" });
  const { text, steps } = await generateText({ ...ours(), prompt: "go" });
  expect(text).toBe("Thank you.");
  expect(steps[0]!.toolResults).toMatchObject([{ toolName: "read", output: expect.stringContaining("Hello.") }]);
  expect(lastResult()).toMatchObject({ content: expect.stringContaining("Hello.") });
});

test("the same in a stream", async () => {
  zeph = await place.runtime();
  asks("read", { path: "a.txt" });
  expect(await streamText({ ...ours(), prompt: "go" }).text).toBe("Thank you.");
  expect(lastResult()).toMatchObject({ content: expect.stringContaining("Hello.") });
});

test("the model is shown our schema, word for word", async () => {
  zeph = await place.runtime({ toolsets: [{ id: "mine", list: () => [tagging] }] });
  asks("read", { path: "a.txt" });
  await generateText({ ...ours(), prompt: "go" });
  const shown = mock.getRequests()[0]!.body as { tools: { function: { name: string; description: string; parameters: unknown } }[] };
  const tools = zeph.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(tools.map(({ name }) => name)).toContain("tag");
  expect(shown.tools.map((tool) => tool.function)).toEqual(tools);
});

test("a call that is refused is an answer with the reason, and so are arguments that do not fit", async () => {
  zeph = await place.runtime();
  asks("read", { path: "/etc/passwd" });
  await generateText({ ...ours(), prompt: "go" });
  expect(lastResult().content).toMatch(/^\[tool_error\]\ncategory: policy_blocked\n/);

  asks("read", { file: 7 });
  await generateText({ ...ours(), prompt: "go" });
  expect(lastResult().content).toMatch(/^\[tool_error\]\ncategory: invalid_parameters\n/);
  const [, second] = place
    .audit()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(second).toMatchObject({ tool: "read", phase: "executor", error_category: "invalid_parameters" });
});

test("who stops the AI SDK stops the call", async () => {
  let stopped = false;
  const wait = defineTool({
    name: "wait",
    description: "Wait.",
    effect: "reads",
    input: z.strictObject({}),
    touches: () => [],
    async run(_permit, { signal }) {
      stop.abort();
      await sleep(20_000, undefined, { signal }).catch(() => {
        stopped = true;
        throw signal.reason;
      });
      return { text: "too late" };
    },
  });
  const stop = new AbortController();
  zeph = await place.runtime({ toolsets: [{ id: "mine", list: () => [wait] }] });
  asks("wait", {});
  await expect(generateText({ ...ours(), prompt: "go", abortSignal: stop.signal })).rejects.toThrow(/abort/i);
  await zeph.close();
  expect(stopped).toBe(true);
  expect(place.audit()).toContain('"error_category":"cancelled"');
  expect(mock.getRequests()).toHaveLength(1);
});

test("what a model would not be shown is not offered", async () => {
  const hidden: RuntimeOptions["config"] = {
    audit: { path: `${place.state}/audit.jsonl` },
    tools: { permissions: { bash: [{ pattern: "*", action: "deny" }] } },
  };
  zeph = await place.runtime({ config: hidden });
  const names = Object.keys(zeph.toAiSdkTools());
  expect(names).toEqual(zeph.tools().map(({ name }) => name));
  expect(names).toContain("read");
  expect(names).not.toContain("bash");
});

const tagging = defineTool({
  name: "tag",
  description: "Give things tags.",
  effect: "reads",
  // An open record: closing it on the way would show the model another tool.
  input: z.strictObject({ tags: z.record(z.string(), z.string()) }),
  touches: () => [],
  run: async () => ({ text: "ok" }),
});

/** All it takes; the annotation is the test of the types. */
function ours() {
  const anthropic = createAnthropic({ baseURL: `${mock.url}/v1`, apiKey: "none" });
  const tools: ToolSet = zeph.toAiSdkTools();
  return { model: anthropic("claude-test"), tools, stopWhen: stepCountIs(3), maxOutputTokens: 500, maxRetries: 0 };
}

function asks(name: string, args: object): void {
  mock.reset();
  mock.on({ userMessage: "go", hasToolResult: false }, { toolCalls: [{ id: "toolu_1", name, arguments: JSON.stringify(args) }] });
  mock.on({ userMessage: "go", hasToolResult: true }, { content: "Thank you." });
}

const lastResult = () => (mock.getRequests().at(-1)!.body as { messages: { role: string; content: string }[] }).messages.at(-1)!;

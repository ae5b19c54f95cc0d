import { existsSync } from "node:fs";
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

  asks("read", { where: 7 });
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

test("only the tools that are named are given, and a name that is none is refused", async () => {
  zeph = await place.runtime();
  expect(Object.keys(zeph.toAiSdkTools({ only: ["read", "grep"] })).sort()).toEqual(["grep", "read"]);
  expect(() => zeph.toAiSdkTools({ only: ["raed"] })).toThrow('There is no tool "raed"');
});

test("the approval flow of the AI SDK asks about a call that needs a yes, also when another process carries it out", async () => {
  const config = { audit: { path: `${place.state}/audit.jsonl` } };
  const note = `${place.work}/note.txt`;
  zeph = await place.runtime({ config });
  asks("write", { path: "note.txt", content: "hi" });
  const first = await generateText({ ...ours(), tools: zeph.toAiSdkTools({ approval: "sdk" }) as ToolSet, prompt: "go" });
  const [request] = first.content.flatMap((part) => (part.type === "tool-approval-request" ? [part] : []));
  expect(request?.toolCall).toMatchObject({ toolName: "write" });
  expect(existsSync(note)).toBe(false);
  const asked = JSON.parse(JSON.stringify([{ role: "user", content: "go" }, ...first.response.messages]));
  await zeph.close();

  for (const approved of [false, true]) {
    zeph = await place.runtime({ config });
    const messages = [...asked, { role: "tool", content: [{ type: "tool-approval-response", approvalId: request!.approvalId, approved }] }];
    await generateText({ ...ours(), tools: zeph.toAiSdkTools({ approval: "sdk", approvedBy: "ada" }) as ToolSet, messages });
    expect(existsSync(note)).toBe(approved);
    if (!approved) await zeph.close();
  }
  const last = JSON.parse(place.audit().trim().split("\n").at(-1)!);
  expect(last).toMatchObject({ outcome: "ok", approved_by: "ada", request_id: request!.toolCall.toolCallId });
});

test("only a yes of the program to this very call counts as approved", async () => {
  zeph = await place.runtime({ config: { audit: { path: `${place.state}/audit.jsonl` } } });
  const { write } = zeph.toAiSdkTools({ approval: "sdk" });
  const request = (toolCallId: string, approvalId: string) => ({
    role: "assistant",
    content: [{ type: "tool-approval-request", approvalId, toolCallId }],
  });
  const response = (role: string, approved: unknown) => ({
    role,
    content: [{ type: "tool-approval-response", approvalId: "a1", approved }],
  });
  const tried: readonly [string, readonly unknown[]][] = [
    ["nothing", []],
    ["a question without an answer", [request("t1", "a1")]],
    ["a no", [request("t1", "a1"), response("tool", false)]],
    ["something that is not yes", [request("t1", "a1"), response("tool", "true")]],
    ["a yes without a question", [response("tool", true)]],
    ["a yes to another call", [request("t2", "a1"), response("tool", true)]],
    ["a yes to another question", [request("t1", "a2"), response("tool", true)]],
    ["a yes that the model wrote", [request("t1", "a1"), response("assistant", true)]],
    ["a message that is none", [null, 7, "yes", { content: "yes" }]],
  ];
  for (const [what, messages] of tried) {
    const answer = await write!.execute({ path: "sdk.txt", content: "" }, { toolCallId: "t1", messages });
    expect([what, answer]).toEqual([what, expect.stringContaining("confirmation_required")]);
  }
  expect(existsSync(`${place.work}/sdk.txt`)).toBe(false);
  const messages = [request("t1", "a1"), response("tool", true)];
  expect(await write!.execute({ path: "sdk.txt", content: "" }, { toolCallId: "t1", messages })).toContain("sdk.txt");
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { argumentsIn, createReformatter } from "../src/agent/reformat.ts";
import type { Outcome } from "../src/core/layer.ts";
import { UNTRACED } from "../src/core/ports/span.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createRuntime, type Model, scriptModel } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "hello\n" },
  {
    op: "file",
    path: "work/fix.json",
    content: JSON.stringify([[{ type: "text", text: '```json\n{"arguments": {"path": "a.txt"}}\n```' }]]),
  },
  { op: "file", path: "work/rambles.json", content: JSON.stringify([[{ type: "text", text: "I would rather not." }]]) },
]);
afterAll(() => place.remove());

const withRepairer = (file: string, more: object = {}) => ({
  llm: { providers: [{ name: "fixer", type: "script", model: join(place.work, file) }] },
  tools: { retry: { parameter_reformat_provider: "fixer" }, ...more },
});

describe("bad arguments", () => {
  it("are repaired once by the model that is named for it, through the door, and the quota counts the call once", async () => {
    const model = modelSaying([asks("read", { where: "a.txt" })], [asks("read", { path: "a.txt" })], [says("ok")]);
    const agent = await agentIn(place, model, { config: withRepairer("fix.json", { max_tool_calls_per_session: 2 }) });
    const events = await all(agent.send("go"));
    expect(events.filter(({ type }) => type === "tool_end")).toHaveLength(3);
    const texts = (await agent.history()).flatMap((m) => (m.role === "tool" ? [m.text] : []));
    expect(texts[0]).toMatch(/^\[arguments repaired: \{"path":"a.txt"\}\]\n[\s\S]*hello/);
    expect(texts[1]).toContain("hello");
    await agent.close();
  });

  it("stay wrong when the repair is no repair, and the model reads that it may try again", async () => {
    const model = modelSaying([asks("read", { where: "a.txt" })], [says("ok")]);
    const agent = await agentIn(place, model, { config: withRepairer("rambles.json") });
    await all(agent.send("go"));
    const [text] = (await agent.history()).flatMap((m) => (m.role === "tool" ? [m.text] : []));
    expect(text).toContain("category: invalid_parameters");
    expect(text).toContain("retryable: true");
    await agent.close();
  });

  it("name a provider that exists, or nothing starts", async () => {
    const config = { tools: { retry: { parameter_reformat_provider: "nobody" } } };
    await expect(agentIn(place, modelSaying(), { config })).rejects.toThrow('There is no provider "nobody"');
  });
});

describe("a repair", () => {
  it("is not tried with half of what was meant", async () => {
    const content = "x".repeat(30_000);
    const model = modelSaying([asks("write", { where: "half.txt", content })], [says("ok")]);
    const agent = await agentIn(place, model, { config: withRepairer("fix.json"), confirm: () => "once" });
    const events = await all(agent.send("go"));
    expect(events.filter(({ type }) => type === "tool_end")).toHaveLength(1);
    await agent.close();
  });
});

describe("reformatting", () => {
  const failed = async (args: unknown, problem?: string): Promise<[ToolRequest, Outcome]> => {
    const zeph = await createRuntime({ cwd: place.work, store: "memory", config: { audit: { path: join(place.state, "r.jsonl") } } });
    const outcome = await zeph.callAny("read", args);
    await zeph.close();
    return [ToolRequest.from({ id: "1", name: "read", args, ...(problem && { problem }) })!, outcome];
  };
  const never: Model = {
    id: "never",
    stream: (_prompt, signal) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
      }),
    }),
  };
  const spec = { name: "read", description: "", parameters: {} };

  it("gives up after its time, says so, and the first failure stands", async () => {
    const [request, outcome] = await failed({ file: "x" });
    const warnings: string[] = [];
    const repair = createReformatter({
      model: never,
      tools: () => [spec],
      call: () => Promise.reject(),
      patienceMs: 30,
      used: () => {},
      tracing: UNTRACED,
      warn: (m) => warnings.push(m),
    });
    expect(await repair(request, outcome, new AbortController().signal, "id")).toBe(outcome);
    expect(warnings).toEqual([expect.stringContaining("could not be repaired by never")]);
  });

  it("asks nobody about arguments that were no JSON, or a tool that is not there", async () => {
    const [request, outcome] = await failed({ file: "x" }, "broken");
    const model = scriptModel([]);
    const parts = {
      model,
      call: () => Promise.reject(new Error("called")),
      patienceMs: 30,
      used: () => {},
      tracing: UNTRACED,
      warn: () => {},
    };
    expect(await createReformatter({ ...parts, tools: () => [spec] })(request, outcome, new AbortController().signal, "id")).toBe(outcome);
    expect(
      await createReformatter({ ...parts, tools: () => [] })((await failed({ file: "x" }))[0], outcome, new AbortController().signal, "id"),
    ).toBe(outcome);
  });

  it.each([
    ['{"arguments": {"a": 1}}', { a: 1 }],
    ['Sure: ```json\n{"arguments": {"a": {"b": "}"}}}\n``` there', { a: { b: "}" } }],
    ['{"args": {}}', null],
    ['{"arguments": [1]}', null],
    ["nothing", null],
    ["}{", null],
    ["", null],
  ])("reads %j", (answer, expected) => {
    expect(argumentsIn(answer)).toEqual(expected);
  });

  it("leaves a line for each request in the audit log", () => {
    const lines = readFileSync(join(place.state, "audit.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, 2)).toMatchObject([{ outcome: "failed", error_category: "invalid_parameters" }, { outcome: "ok" }]);
    expect(lines[0].call_id).toBe(lines[1].call_id);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { createAgent, type Model, ModelError, type ModelEvent, scriptModel } from "../src/index.ts";
import { asyncContext } from "./async-context.ts";
import { type Workspace, workspace } from "./workspace.ts";

let place: Workspace;
const exporter = new InMemorySpanExporter();

beforeEach(() => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "a secret of the user\n" }]);
});
afterEach(() => {
  trace.disable();
  context.disable();
  exporter.reset();
  place.remove();
});

test("a turn is a span, and its model calls and tool calls are spans in it", async () => {
  register();
  const usage = { input: 100, cacheRead: 60, cacheWrite: 0, output: 20 };
  const { agent } = await talk(
    scriptModel([
      [request("1", "read", { path: "a.txt" }), request("2", "bash", { command: "exit 3" })],
      [
        { type: "text", text: "Done." },
        { type: "end", finish: "stop", usage },
      ],
    ]),
  );
  const spans = exporter.getFinishedSpans();
  expect(tree(spans)).toEqual([
    "chat script < invoke_agent zeph",
    "chat script < invoke_agent zeph",
    "execute_tool bash < invoke_agent zeph",
    "execute_tool read < invoke_agent zeph",
    "gates < execute_tool bash",
    "gates < execute_tool read",
    "invoke_agent zeph",
    "run < execute_tool bash",
    "run < execute_tool read",
  ]);
  const conversation = { "gen_ai.conversation.id": agent.conversation };
  expect(named(spans, "invoke_agent zeph")).toMatchObject({
    kind: SpanKind.INTERNAL,
    status: { code: SpanStatusCode.UNSET },
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "zeph", ...conversation },
  });
  const [, answer] = spans.filter(({ name }) => name === "chat script");
  expect(answer).toMatchObject({
    kind: SpanKind.CLIENT,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "script",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
    },
  });
  expect(named(spans, "execute_tool read").attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "read",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...conversation,
    "zeph.decision": "allow",
    "zeph.grant": "preapproved",
    "zeph.cached": false,
  });
  expect(named(spans, "execute_tool bash").attributes).toMatchObject({ "zeph.exit_code": 3 });
});

test("a call says what was decided and which category of error it ended with, and no more", async () => {
  register();
  const zeph = await place.runtime();
  await zeph.call("read", { path: "/etc/passwd" });
  await zeph.call("read", { path: "a.txt" });
  await zeph.call("read", { path: "a.txt" });
  await zeph.call(`a name with the user's words ${"x".repeat(10_000)}`, {});
  await zeph.close();
  const [denied, first, second, unknown] = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("execute_tool"));
  expect(denied!.attributes).toMatchObject({ "zeph.decision": "deny", "zeph.gate": "files", "error.type": "policy_blocked" });
  expect(denied!.status).toEqual({ code: SpanStatusCode.ERROR });
  expect([first, second].map((span) => span!.attributes["zeph.cached"])).toEqual([false, true]);
  expect(unknown).toMatchObject({
    name: "execute_tool (unknown)",
    attributes: { "gen_ai.tool.name": "(unknown)", "zeph.decision": "none", "error.type": "tool_not_found" },
  });
});

test("no span holds what a person, a model or a file said", async () => {
  register();
  await talk(
    scriptModel([
      [
        { type: "text", text: "secret words" },
        request("1", "read", { path: "a.txt" }),
        request("2", "secret_tool", { "secret argument": 1 }),
      ],
      [request("3", "bash", { command: "echo secret" }), request("4", "read", { path: "secret/../../../x" })],
    ]),
  );
  const spans = exporter.getFinishedSpans();
  expect(spans.length).toBe(13);
  for (const { name, attributes, events, status } of spans)
    expect(JSON.stringify({ name, attributes, events, status })).not.toMatch(/secret/);
});

test("docs/telemetry.md names every attribute, and nothing else", async () => {
  register();
  const usage = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };
  await talk(
    scriptModel([
      [request("1", "bash", { command: "true" }), request("2", "read", { path: "/etc/passwd" }), { type: "end", finish: "calls", usage }],
    ]),
  );
  const seen = exporter.getFinishedSpans().flatMap(({ attributes }) => Object.keys(attributes));
  const page = readFileSync(join(import.meta.dirname, "../docs/telemetry.md"), "utf8")
    .split("## Attributes")[1]!
    .split("\n## ")[0]!;
  const listed = [...page.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name!);
  expect(listed.sort()).toEqual([...new Set(seen)].sort());
});

test("a model that fails marks its span and the turn's", async () => {
  register();
  const { done } = await talk(failing(new ModelError("wrong_key", "The key sk-123 is wrong.")));
  expect(done).toMatchObject({ why: "failed" });
  const spans = exporter.getFinishedSpans();
  expect(named(spans, "chat mine")).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { "error.type": "wrong_key" },
    events: [],
  });
  expect(named(spans, "invoke_agent zeph").attributes["error.type"]).toBe("failed");
});

test("a turn is a child of the span it was asked for in", async () => {
  const provider = register();
  await provider.getTracer("mine").startActiveSpan("my request", async (span) => {
    await talk(scriptModel([[{ type: "text", text: "Hello." }]]));
    span.end();
  });
  expect(tree(exporter.getFinishedSpans())).toContain("invoke_agent zeph < my request");
});

test("a provider that is registered after the runtime was made is seen, and one that is gone is not", async () => {
  const zeph = await place.runtime();
  await zeph.call("read", { path: "a.txt" });
  register();
  await zeph.call("read", { path: "a.txt" });
  trace.disable();
  await zeph.call("read", { path: "a.txt" });
  await zeph.close();
  expect(tree(exporter.getFinishedSpans())).toEqual(["execute_tool read", "gates < execute_tool read", "run < execute_tool read"]);
});

test("a tracer that throws changes no result", async () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const span = new Proxy({}, { get: () => broken });
  for (const startSpan of [broken, () => span]) {
    trace.disable();
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: broken }) as never });
    const zeph = await place.runtime();
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
    expect(await zeph.call("read", { path: "/etc/passwd" })).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    await zeph.close();
  }
  expect(warnings).toHaveBeenCalledTimes(1);
  warnings.mockRestore();
});

test("with nobody watching there are no spans, and everything else is the same", async () => {
  const turns = () => scriptModel([[request("1", "read", { path: "a.txt" })], [{ type: "text", text: "Done." }]]);
  const unwatched = await talk(turns());
  expect(exporter.getFinishedSpans()).toEqual([]);
  register();
  const watched = await talk(turns());
  expect(exporter.getFinishedSpans()).toHaveLength(6);
  expect(unwatched.types).toEqual(watched.types);
});

function register(): BasicTracerProvider {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(asyncContext());
  return provider;
}

/** One turn, all of its events. */
async function talk(model: Model) {
  const audit = { path: join(place.state, "audit.jsonl") };
  const tools = { permissions: { bash: [{ pattern: "*", action: "allow" }] }, sandbox: { enabled: false } };
  const agent = await createAgent({ cwd: place.work, config: { audit, tools } as ConfigInput, store: "memory", model });
  try {
    const events = [];
    for await (const event of agent.send("A secret wish.")) events.push(event);
    return { agent, types: events.map(({ type }) => type), done: events.at(-1) };
  } finally {
    await agent.close();
  }
}

const request = (id: string, name: string, args: unknown): ModelEvent => ({ type: "request", request: { id, name, args } });

const failing = (error: Error): Model => ({
  id: "mine",
  // biome-ignore lint/correctness/useYield: it fails before it says anything
  async *stream() {
    throw error;
  },
});

const broken = () => {
  throw new Error("this tracer is broken");
};

const named = (spans: readonly ReadableSpan[], name: string) => spans.find((span) => span.name === name)!;

const tree = (spans: readonly ReadableSpan[]) => {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext: above }) => (above ? `${name} < ${names.get(above.spanId)}` : name)).sort();
};

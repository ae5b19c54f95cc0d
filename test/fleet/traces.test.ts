import { join } from "node:path";
import { context, SpanKind, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { TaskPayload } from "../../src/fleet/task.ts";
import { createAgent, scriptModel } from "../../src/index.ts";
import { createTracing } from "../../src/runtime/events/telemetry.ts";
import { traceSubmission, traceTask } from "../../src/runtime/events/trace-context.ts";
import { openFleet } from "../../src/runtime/library/library.ts";
import { asyncContext } from "../async-context.ts";
import { workspace } from "../workspace.ts";
import { hasPostgres, makeSchema } from "./database.ts";

const exporter = new InMemorySpanExporter();
const tracing = createTracing();
const HEADER = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;

afterEach(() => {
  trace.disable();
  context.disable();
  exporter.reset();
});

/** As another process would: nothing is left of the context of the first one. */
const elsewhere = <T>(work: () => Promise<T>): Promise<T> => context.with(trace.deleteSpan(context.active()), work);
const task = (traceparent: string | undefined) => ({
  id: "t1",
  tenant: "acme",
  session: "s1",
  attempt: 2,
  payload: { format: 1, text: "a secret wish", ...(traceparent !== undefined && { traceparent }) } as TaskPayload,
});

test("a turn is one trace over the gateway that took the task and the worker that runs it", async () => {
  watch();
  const carried = await traceSubmission(tracing, HEADER, async (traceparent) => traceparent);
  const place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
  onTestFinished(place.remove);
  const model = scriptModel([
    [{ type: "request", request: { id: "1", name: "read", args: { path: "a.txt" } } }],
    [{ type: "text", text: "Done." }],
  ]);
  const config = { audit: { path: join(place.state, "audit.jsonl") } };
  const agent = await createAgent({ cwd: place.work, store: "memory", config, model });
  await elsewhere(() => traceTask(tracing, task(carried), () => agent.run("a secret wish")));
  await agent.close();
  const spans = exporter.getFinishedSpans();
  const named = (name: string) => spans.find((span) => span.name === name)!;
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set(["ab".repeat(16)]));
  expect(named("submit_task")).toMatchObject({ kind: SpanKind.PRODUCER, parentSpanContext: { spanId: "cd".repeat(8), isRemote: true } });
  expect(named("run_task")).toMatchObject({
    kind: SpanKind.CONSUMER,
    parentSpanContext: { spanId: named("submit_task").spanContext().spanId, isRemote: true },
    attributes: { "zeph.task.id": "t1", "zeph.task.attempt": 2, "zeph.tenant": "acme", "zeph.session": "s1" },
  });
  expect(named("invoke_agent zeph").parentSpanContext?.spanId).toBe(named("run_task").spanContext().spanId);
  expect(spans.map(({ name }) => name)).toContain("execute_tool read");
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("secret");
});

test("without a header the task begins a trace of its own, which the worker goes on with", async () => {
  watch();
  const carried = await traceSubmission(tracing, undefined, async (traceparent) => traceparent);
  await elsewhere(() => traceTask(tracing, task(carried), async () => {}));
  const [submitted, run] = exporter.getFinishedSpans();
  expect(submitted!.parentSpanContext).toBeUndefined();
  expect(run!.spanContext().traceId).toBe(submitted!.spanContext().traceId);
});

test.skipIf(!hasPostgres)("a program's own trace goes with what it gives to a fleet", async () => {
  watch();
  const store = await makeSchema();
  await using fleet = await openFleet({ store });
  await trace.getTracer("program").startActiveSpan("work", async (span) => {
    const own = span.spanContext().traceId;
    const task = await fleet.task(await fleet.submit("Do it."));
    expect(task!.payload.traceparent).toContain(own);
    void fleet.session("s").send("Hello.");
    await expect.poll(() => exporter.getFinishedSpans().length).toBe(2);
    expect(exporter.getFinishedSpans().map(({ name, parentSpanContext }) => [name, parentSpanContext?.traceId])).toEqual([
      ["submit_task", own],
      ["submit_task", own],
    ]);
    span.end();
  });
});

test("where nobody watches, a header is handed on as it came, and what is none is not", async () => {
  const carried = (header: string | undefined) => traceSubmission(tracing, header, async (traceparent) => traceparent);
  expect(await carried(HEADER)).toBe(HEADER);
  expect(await carried(undefined)).toBeUndefined();
  for (const odd of [
    "",
    "hello",
    `${HEADER}\nevil: 1`,
    `00-${"0".repeat(32)}-${"cd".repeat(8)}-01`,
    `00-${"ab".repeat(16)}-${"0".repeat(16)}-01`,
    `ff${HEADER.slice(2)}`,
  ])
    expect(await carried(odd)).toBeUndefined();
  expect(await traceTask(tracing, task("hello"), async () => 7)).toBe(7);
});

test("a trace context that is none begins a new trace", async () => {
  watch();
  await traceTask(tracing, task("hello"), async () => {});
  expect(exporter.getFinishedSpans()).toMatchObject([{ name: "run_task", parentSpanContext: undefined }]);
});

function watch(): void {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(asyncContext());
}

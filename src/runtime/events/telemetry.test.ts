import { createRequire } from "node:module";
import { afterEach, expect, test } from "vitest";
import { createTracing } from "./telemetry.ts";

// Nothing of OpenTelemetry is imported above: the first test looks whether we do.
const api = () => import("@opentelemetry/api");
const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("@opentelemetry"));

afterEach(async () => (await api()).trace.disable());

test("with nobody watching the API package is not loaded", async () => {
  const attributes = () => expect.unreachable("nobody asked for attributes");
  expect(await createTracing().span("a", "internal", attributes, async () => 1)).toBe(1);
  expect(isLoaded()).toBe(false);
  await api();
  expect(isLoaded()).toBe(true);
});

test.each([
  { what: "an Error", thrown: new TypeError("what the user wrote"), type: "TypeError" },
  { what: "anything else", thrown: "what the user wrote", type: "_OTHER" },
])("$what that is thrown goes through untouched, and only its kind is in the span", async ({ thrown, type }) => {
  const spans = await watch();
  const work = () => Promise.reject(thrown);
  await expect(createTracing().span("a", "internal", () => ({}), work)).rejects.toBe(thrown);
  const { SpanStatusCode } = await api();
  expect(spans()).toMatchObject([{ status: { code: SpanStatusCode.ERROR }, attributes: { "error.type": type }, events: [], ended: true }]);
  expect(JSON.stringify(spans().map(({ status, attributes }) => [status, attributes]))).not.toContain("user");
});

test("the first word on why it failed stays", async () => {
  const spans = await watch();
  const work = createTracing().span(
    "a",
    "client",
    () => ({}),
    async (span) => {
      span.fail("rate_limited");
      throw new Error("no");
    },
  );
  await expect(work).rejects.toThrow("no");
  expect(spans()[0]!.attributes).toEqual({ "error.type": "rate_limited" });
});

test("names and values are bounded", async () => {
  const spans = await watch();
  const long = "x".repeat(5000);
  await createTracing().span(
    long,
    "internal",
    () => ({ at_start: long }),
    async (span) => span.set({ later: [long, "short"], number: 1 }),
  );
  const cut = long.slice(0, 200);
  expect(spans()).toMatchObject([{ name: cut, attributes: { at_start: cut, later: [cut, "short"], number: 1 } }]);
});

async function watch() {
  const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await import("@opentelemetry/sdk-trace-base");
  const exporter = new InMemorySpanExporter();
  (await api()).trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return () => exporter.getFinishedSpans();
}

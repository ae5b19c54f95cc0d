import { execFileSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterEach, expect, test } from "vitest";
import { createTracing } from "./telemetry.ts";

const api = () => import("@opentelemetry/api");
const here = dirname(fileURLToPath(import.meta.url));

afterEach(async () => (await api()).trace.disable());

// In a process of its own: another file of this worker may have loaded the package.
test("with nobody watching the API package is not loaded", () => {
  const program = `
    import { createRequire } from "node:module";
    import { createTracing } from "./telemetry.ts";
    const isLoaded = () => Object.keys(createRequire(process.cwd() + "/").cache).some((path) => path.includes("@opentelemetry"));
    const attributes = () => { throw new Error("nobody asked for attributes"); };
    const result = await createTracing().span("a", "internal", attributes, async () => 1);
    const before = isLoaded();
    await import("@opentelemetry/api");
    console.log(JSON.stringify({ result, before, after: isLoaded() }));`;
  expect(JSON.parse(runFresh(program))).toEqual({ result: 1, before: false, after: true });
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

/** Runs a program that imports from this folder in a new process, and returns what it prints. */
function runFresh(program: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir: here, loader: "ts" },
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    write: false,
  });
  const args = ["--input-type=module", "-e", outputFiles[0]!.text];
  return execFileSync(process.execPath, args, { cwd: resolve(here, "../../.."), encoding: "utf8" });
}

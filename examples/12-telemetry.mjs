// Where a turn spends its time: OpenTelemetry spans. Zeph makes them when a tracer provider is registered, and none otherwise.
import assert from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

// In a program of yours these lines are `new NodeSDK({ traceExporter }).start()` of @opentelemetry/sdk-node.
const exporter = new InMemorySpanExporter();
const storage = new AsyncLocalStorage();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
});

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "hello.txt"), "Hello.\n");
const read = (id, path) => ({ type: "request", request: { id, name: "read", args: { path } } });
const model = scriptModel([[read("1", "hello.txt"), read("2", "/etc/passwd")], [{ type: "text", text: "Hello." }]]);
const agent = await createAgent({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory", model });
for await (const _event of agent.send("What do the files say?"));
await agent.close();

const spans = exporter.getFinishedSpans();
const within = (above) => spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === above?.spanContext().spanId);
function print(span, indent = "") {
  const ms = span.duration[0] * 1e3 + span.duration[1] / 1e6;
  const { "zeph.decision": decision = "", "error.type": error = "" } = span.attributes;
  console.log(`${indent}${span.name}  ${ms.toFixed(1)} ms  ${decision} ${error}`.trimEnd());
  for (const child of within(span)) print(child, `${indent}  `);
}
const [turn] = within(undefined);
print(turn);

const names = within(turn).map(({ name, attributes }) => `${name} ${attributes["error.type"] ?? "ok"}`);
assert.equal(turn.name, "invoke_agent zeph");
assert.deepEqual(names.sort(), ["chat script ok", "chat script ok", "execute_tool read ok", "execute_tool read policy_blocked"]);

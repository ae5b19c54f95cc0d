// A model that reads its turns from a list drives the tools. A real model takes its place later; the runtime does not know the difference.
import assert from "node:assert";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, scriptModel } from "zeph";

const cwd = mkdtempSync(join(tmpdir(), "zeph-example-"));
const audit = join(cwd, "audit.jsonl");
const zeph = await createRuntime({
  cwd,
  config: { audit: { path: audit } },
  store: "memory",
  confirm: () => "once",
  onEvent: (event) =>
    event.type === "tool_end" && console.log(`${event.request.name}: ${event.outcome.ok ? "ok" : event.outcome.error.category}`),
});
const model = scriptModel([
  [{ type: "request", request: { id: "1", name: "write", args: { path: "plan.md", content: "1. think\n" } } }],
  [{ type: "request", request: { id: "2", name: "raed", args: { path: "plan.md" } } }],
  [{ type: "text", text: "The plan is written." }],
]);
const messages = [{ role: "user", text: "Write a plan." }];
for await (const event of zeph.converse(model, messages)) if (event.type === "text") console.log(event.text);
await zeph.close();

assert.equal(readFileSync(join(cwd, "plan.md"), "utf8"), "1. think\n");
assert(messages.some(({ role, text }) => role === "tool" && text.includes('Did you mean "read"')));
const lines = readFileSync(audit, "utf8").trim().split("\n").map(JSON.parse);
assert.deepEqual(
  lines.map(({ kind, outcome }) => `${kind} ${outcome ?? ""}`),
  ["intent ", "call ok", "call failed"],
);

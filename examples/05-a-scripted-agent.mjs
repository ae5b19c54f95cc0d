// A model that reads its turns from a list drives the tools. A real model takes its place in 07; the runtime does not know the difference.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
const audit = join(log, "audit.jsonl");
const agent = await createAgent({
  cwd,
  config: { audit: { path: audit } },
  store: "memory",
  confirm: () => "once",
  model: scriptModel([
    [{ type: "request", request: { id: "1", name: "write", args: { path: "plan.md", content: "1. think\n" } } }],
    [{ type: "request", request: { id: "2", name: "raed", args: { path: "plan.md" } } }],
    [{ type: "text", text: "The plan is written." }],
  ]),
});
for await (const event of agent.send("Write a plan.")) {
  if (event.type === "text") console.log(event.text);
  if (event.type === "tool_end") console.log(`${event.request.name}: ${event.outcome.ok ? "ok" : event.outcome.error.category}`);
}
const history = await agent.history();
await agent.close();

assert.equal(readFileSync(join(cwd, "plan.md"), "utf8"), "1. think\n");
assert(history.some(({ role, text }) => role === "tool" && text.includes('Did you mean "read"')));
const lines = readFileSync(audit, "utf8").trim().split("\n").map(JSON.parse);
assert.deepEqual(
  lines.map(({ kind, outcome }) => `${kind} ${outcome ?? ""}`),
  ["intent ", "call ok", "call failed"],
);

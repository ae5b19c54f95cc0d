// A model at work with the tools: say something, and read what happens as it happens.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "hello.txt"), "Hello.\nHow are you?\n");

// This model reads its answers from a list, so the example needs no key. A real one is named in the configuration:
//   const config = { llm: { providers: [{ name: "claude", type: "anthropic", model: "…", api_key_env: "ANTHROPIC_API_KEY" }] } };
//   const agent = await createAgent({ cwd, config, model: "claude" });
// With neither `config` nor `model`, your own configuration decides, as it does for `zeph run`.
const model = scriptModel([
  [
    { type: "text", text: "Let me look.\n" },
    { type: "request", request: { id: "1", name: "read", args: { path: "hello.txt" } } },
  ],
  [{ type: "text", text: "It says hello and asks how you are.\n" }],
]);
const agent = await createAgent({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory", model });

const seen = [];
for await (const event of agent.send("What does hello.txt say?")) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "tool_end") console.log(`[${event.request.name}, ${Math.ceil(event.durationMs)} ms]`);
  if (event.type === "done") console.log(`${event.why} after ${event.totals.requests} requests and ${event.totals.calls} call`);
  seen.push(event.type);
}
await agent.close();

assert.deepEqual(seen, ["turn_start", "text", "tool_start", "tool_end", "text", "done"]);

// You have an agent on the OpenAI Agents SDK: give it Zeph's tools, and put your own behind Zeph's door. Install first: npm install @openai/agents zod
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, Runner, tool } from "@openai/agents";
import { createRuntime } from "zeph";
import { govern, toOpenAiAgentsTools } from "zeph/openai-agents";
import * as z from "zod";
import { callsIn } from "./scratch/audit.mjs";
import { scratchFolder } from "./scratch/folder.mjs";

const [cwd, log] = [scratchFolder(), scratchFolder()];
writeFileSync(join(cwd, "hello.txt"), "Hello.\n");
const marker = (name) => join(cwd, name);
const rules = { lookup: [{ pattern: "*", action: "allow" }], wipe: [{ pattern: "*", action: "deny" }] };
const zeph = await createRuntime({
  cwd,
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") }, tools: { permissions: rules } },
});

const secret = `${"gh"}p_${"Zk3Q9xWmT7".repeat(4).slice(0, 36)}`; // put together here, so that nobody takes it for a real one
const define = (name, shape, execute) => tool({ name, description: name, parameters: z.object(shape), execute });
// Rules allow `lookup` and deny `wipe`. None speaks of `deploy`, so it needs a yes.
const own = [
  define("lookup", { key: z.string() }, ({ key }) => `${key} = ${secret}`),
  define("wipe", {}, () => writeFileSync(marker("wiped"), "")),
  define("deploy", { service: z.string() }, ({ service }) => writeFileSync(marker(service), "") ?? "deployed"),
];
const reasons = [];
const tools = [
  ...toOpenAiAgentsTools(zeph, { only: ["read"] }),
  ...govern(zeph, own, { session: "example", onAsk: ({ why }) => reasons.push(why) }),
];
const model = fakeModel(
  [
    asks("1", "read", { path: "hello.txt" }),
    asks("2", "lookup", { key: "token" }),
    asks("3", "wipe", {}),
    asks("4", "deploy", { service: "web" }),
  ],
  [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Deployed." }] }],
);
const agent = new Agent({ name: "deployer", model, tools });
const runner = new Runner({ tracingDisabled: true });

const first = await runner.run(agent, "Look up the token, wipe the disk, deploy the web.");
const said = JSON.stringify(first.newItems.map(({ rawItem }) => rawItem));
assert.match(said, /Hello\./); // Zeph's own tool ran
assert.match(said, /token = \[redacted:/); // the program's tool ran, and its secret is not shown
assert.match(said, /policy_blocked/); // the model reads why
assert(!existsSync(marker("wiped")));
assert(!existsSync(marker("web")), "nobody was asked yet");

// The run is interrupted, and goes on with the answer.
const [question] = first.interruptions;
console.log(`${question.rawItem.name} ${question.rawItem.arguments}: ${reasons.at(-1)}`);
first.state.approve(question);
const { finalOutput } = await runner.run(agent, first.state);
console.log(finalOutput);
assert(existsSync(marker("web")));
await zeph.close();

assert.deepEqual(callsIn(join(log, "audit.jsonl"), "openai-agents"), [
  "call deploy ask",
  "call lookup allow",
  "call wipe deny",
  "settled deploy ok",
  "settled lookup ok",
]);

function asks(callId, name, input) {
  return { type: "function_call", callId, name, arguments: JSON.stringify(input) };
}

/** In place of a model of OpenAI's: gives one answer after the other. */
function fakeModel(...answers) {
  return { getResponse: async () => ({ usage: {}, output: answers.shift() }) };
}

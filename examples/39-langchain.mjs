// You have an agent on LangChain: give it Zeph's tools, and put your own behind Zeph's door. Install first: npm install langchain @langchain/core zod
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, FakeToolCallingModel, tool } from "langchain";
import { createRuntime } from "zeph";
import { govern, toLangChainTools } from "zeph/langchain";
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
// Rules allow `lookup` and deny `wipe`. None speaks of `deploy`, so it needs a yes.
const own = [
  tool(({ key }) => `${key} = ${secret}`, { name: "lookup", description: "Looks up.", schema: z.object({ key: z.string() }) }),
  tool(() => writeFileSync(marker("wiped"), "") ?? "wiped", { name: "wipe", description: "Wipes.", schema: z.object({}) }),
  tool(({ service }) => writeFileSync(marker(service), "") ?? "deployed", {
    name: "deploy",
    description: "Deploys.",
    schema: z.object({ service: z.string() }),
  }),
];
// In place of a model of a provider: asks for these calls, then for none.
const asks = (id, name, args) => ({ type: "tool_call", id, name, args });
const model = new FakeToolCallingModel({
  toolCalls: [
    [
      asks("1", "read", { path: "hello.txt" }),
      asks("2", "lookup", { key: "token" }),
      asks("3", "wipe", {}),
      asks("4", "deploy", { service: "web" }),
    ],
    [],
  ],
});
const tools = [...toLangChainTools(zeph, { only: ["read"] }), ...own];
const agent = createAgent({ model, tools, middleware: [govern(zeph, { session: "example" })], checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "1" } };

const first = await agent.invoke({ messages: [{ role: "user", content: "Look up the token, wipe the disk, deploy the web." }] }, thread);
assert(!existsSync(marker("web")), "nobody was asked yet");
// The graph is interrupted, and goes on with the answer.
const [question] = first.__interrupt__;
const [{ name, args, description }] = question.value.actionRequests;
console.log(`${name} ${JSON.stringify(args)}: ${description}`);
const { messages } = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread);

const said = JSON.stringify(messages.filter(({ type }) => type === "tool").map(({ content, status }) => [content, status]));
assert.match(said, /Hello\./); // Zeph's own tool ran
assert.match(said, /token = \[redacted:/); // the program's tool ran, and its secret is not shown
assert.match(said, /policy_blocked/); // the model reads why
assert(!existsSync(marker("wiped")));
assert(existsSync(marker("web")));
await zeph.close();

assert.deepEqual(callsIn(join(log, "audit.jsonl"), "langchain"), [
  "call deploy ask",
  "call lookup allow",
  "call wipe deny",
  "settled deploy ok",
  "settled lookup ok",
]);

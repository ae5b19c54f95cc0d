// You have an agent on Mastra: give it Zeph's tools, and put your own behind Zeph's door. Install first: npm install @mastra/core zod
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { MastraLanguageModelV2Mock, simulateReadableStream } from "@mastra/core/test-utils/llm-mock";
import { createTool } from "@mastra/core/tools";
import { createRuntime } from "zeph";
import { govern, toMastraTools } from "zeph/mastra";
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
const define = (id, shape, execute) => createTool({ id, description: id, inputSchema: z.object(shape), execute });
// Rules allow `lookup` and deny `wipe`. None speaks of `deploy`, so it needs a yes.
const own = {
  lookup: define("lookup", { key: z.string() }, async ({ key }) => ({ found: `${key} = ${secret}` })),
  wipe: define("wipe", {}, async () => writeFileSync(marker("wiped"), "")),
  deploy: define("deploy", { service: z.string() }, async ({ service }) => writeFileSync(marker(service), "") ?? "deployed"),
};
const reasons = [];
const tools = {
  ...toMastraTools(zeph, { only: ["read"] }),
  ...govern(zeph, own, { session: "example", onAsk: ({ why }) => reasons.push(why) }),
};
const model = fakeModel(
  [asks("1", "read", { path: "hello.txt" })],
  [asks("2", "lookup", { key: "token" })],
  [asks("3", "wipe", {})],
  [asks("4", "deploy", { service: "web" })],
  [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "Deployed." },
    { type: "text-end", id: "t" },
  ],
);
const agent = new Agent({ id: "deployer", name: "deployer", instructions: "Deploy.", model, tools });
// A run that waits for an answer is kept in a store.
const mastra = new Mastra({ agents: { deployer: agent }, storage: new InMemoryStore(), logger: false });

const first = await mastra.getAgent("deployer").stream("Look up the token, wipe the disk, deploy the web.", { maxSteps: 8 });
const chunks = await Array.fromAsync(first.fullStream);
const said = JSON.stringify(chunks.filter(({ type }) => type === "tool-result").map(({ payload }) => payload.result));
assert.match(said, /Hello\./); // Zeph's own tool ran
assert.match(said, /token = \[redacted:/); // the program's tool ran, and its secret is not shown
assert.match(said, /policy_blocked/); // the model reads why
assert(!existsSync(marker("wiped")));
assert(!existsSync(marker("web")), "nobody was asked yet");

// The run is suspended, and goes on with the answer.
const { payload: question } = chunks.find(({ type }) => type === "tool-call-approval");
console.log(`${question.toolName} ${JSON.stringify(question.args)}: ${reasons.at(-1)}`);
const next = await mastra.getAgent("deployer").approveToolCall({ runId: first.runId, toolCallId: question.toolCallId });
console.log(await next.text);
assert(existsSync(marker("web")));
await zeph.close();

assert.deepEqual(callsIn(join(log, "audit.jsonl"), "mastra"), [
  "call deploy ask",
  "call lookup allow",
  "call wipe deny",
  "settled deploy ok",
  "settled lookup ok",
]);

function asks(toolCallId, toolName, input) {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** In place of a model of a provider: gives one answer after the other. */
function fakeModel(...answers) {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const doStream = async () => {
    const parts = answers.shift();
    const finishReason = parts[0].type === "tool-call" ? "tool-calls" : "stop";
    const chunks = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
    return { stream: simulateReadableStream({ chunks }), rawCall: { rawPrompt: null, rawSettings: {} }, warnings: [] };
  };
  return new MastraLanguageModelV2Mock({ doStream });
}

// You have an agent on the AI SDK (7) with tools of your own: put them behind Zeph's door, beside Zeph's tools. Install first: npm install ai zod
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createRuntime } from "zeph";
import { govern, toAiSdkTools, toolApproval } from "zeph/ai-sdk";
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
const own = {
  lookup: tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => `${key} = ${secret}` }),
  wipe: tool({ inputSchema: z.object({}), execute: () => writeFileSync(marker("wiped"), "") }),
  deploy: tool({
    inputSchema: z.object({ service: z.string() }),
    execute: ({ service }) => writeFileSync(marker(service), "") ?? "deployed",
  }),
};
const governed = govern(zeph, own, { session: "example" });
const tools = { ...toAiSdkTools(zeph, { only: ["read"] }), ...governed };
const messages = [{ role: "user", content: "Look up the token, wipe the disk, deploy the web." }];
const model = fakeModel(
  [
    asks("1", "read", { path: "hello.txt" }),
    asks("2", "lookup", { key: "token" }),
    asks("3", "wipe", {}),
    asks("4", "deploy", { service: "web" }),
  ],
  [{ type: "text", text: "Deployed." }],
);
const turn = () => generateText({ model, tools, toolApproval: toolApproval(governed), stopWhen: isStepCount(5), messages });

const first = await turn();
const said = JSON.stringify(first.response.messages);
assert.match(said, /Hello\./); // Zeph's own tool ran
assert.match(said, /token = \[redacted:/); // the program's tool ran, and its secret is not shown
assert.match(said, /execution-denied/); // the model reads why
assert(!existsSync(marker("wiped")));
assert(!existsSync(marker("web")), "nobody was asked yet");

// The AI SDK asks, and goes on with the answer.
messages.push(...first.response.messages);
const request = first.content.find(({ type, isAutomatic }) => type === "tool-approval-request" && !isAutomatic);
console.log(`${request.toolCall.toolName} ${JSON.stringify(request.toolCall.input)}: ${request.reason}`);
messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }] });
const { text } = await turn();
console.log(text);
assert(existsSync(marker("web")));
await zeph.close();

assert.deepEqual(callsIn(join(log, "audit.jsonl"), "ai-sdk"), [
  "call deploy ask",
  "call lookup allow",
  "call wipe deny",
  "settled deploy ok",
  "settled lookup ok",
]);

function asks(toolCallId, toolName, input) {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** In place of anthropic("…") or openai("…"): gives one answer after the other. */
function fakeModel(...answers) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const finish = ([{ type }]) => ({ unified: type === "text" ? "stop" : "tool-calls", raw: undefined });
  return new MockLanguageModelV4({
    doGenerate: answers.map((content) => ({ content, finishReason: finish(content), usage, warnings: [] })),
  });
}

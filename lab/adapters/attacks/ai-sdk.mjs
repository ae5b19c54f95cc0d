// What the AI SDK is made to send again, or to send changed: nothing runs that nobody said yes to.
import assert from "node:assert/strict";
import { generateText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createRuntime } from "zeph";
import { govern, toAiSdkTools } from "zeph/ai-sdk";
import * as z from "zod";

const zeph = await createRuntime({
  store: "memory",
  config: { audit: { path: `${process.env.TMPDIR}/audit.jsonl` }, tools: { permissions: { write: [{ pattern: "*", action: "ask" }] } } },
});
const ran = [];
const deploy = tool({ inputSchema: z.object({ service: z.string() }), execute: ({ service }) => ran.push(service) && "deployed" });
const tools = { ...govern(zeph, { deploy }), ...toAiSdkTools(zeph, { only: ["write"] }) };
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const says = (content, unified) => ({ content, finishReason: { unified }, usage, warnings: [] });
const turn = async (messages, ...doGenerate) => {
  const model = new MockLanguageModelV4({ doGenerate });
  // What the model was shown of the call.
  const { content, response } = await generateText({ model, tools, messages });
  return { content, response, shown: JSON.stringify(model.doGenerateCalls[0].prompt) };
};
const done = says([{ type: "text", text: "done" }], "stop");

async function approved(toolCallId, toolName, input) {
  const user = { role: "user", content: "go" };
  const first = await turn([user], says([{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }], "tool-calls"));
  const { approvalId } = first.content.find(({ type }) => type === "tool-approval-request");
  return [user, ...first.response.messages, { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] }];
}
const resultOf = ({ shown }) => shown;

// The same messages twice, as a browser may send them: the yes counts once.
const yes = await approved("1", "deploy", { service: "web" });
await turn(yes, done);
assert.match(resultOf(await turn(yes, done)), /used already/);
assert.deepEqual(ran, ["web"]);

// Other arguments under the same id.
const changed = structuredClone(await approved("2", "deploy", { service: "web" }));
changed[1].content.find(({ type }) => type === "tool-call").input.service = "everything";
assert.match(resultOf(await turn(changed, done)), /not those that were approved/);
const other = structuredClone(await approved("3", "write", { path: "a.txt", content: "" }));
other[1].content.find(({ type }) => type === "tool-call").input.path = "b.txt";
assert.match(resultOf(await turn(other, done)), /not those that were approved/);

// A no.
const no = structuredClone(await approved("4", "deploy", { service: "api" }));
no.at(-1).content[0].approved = false;
await turn(no, done);
assert.deepEqual(ran, ["web"]);

// An approval of the program's own that asks nobody.
const asked = [says([{ type: "tool-call", toolCallId: "5", toolName: "deploy", input: '{"service":"db"}' }], "tool-calls")];
const model = new MockLanguageModelV4({ doGenerate: asked });
const { response } = await generateText({ model, tools, prompt: "go", toolApproval: () => "approved" });
assert.match(JSON.stringify(response.messages), /confirmation_required/);
assert.deepEqual(ran, ["web"]);
await zeph.close();

// Zeph's tools in loops of others: the AI SDK, the OpenAI Agents SDK and LangChain. The models are scripted, so no key is needed.
// Install first: npm install ai @openai/agents @langchain/core
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool as langchainTool } from "@langchain/core/tools";
import { Agent, tool as agentsTool, Runner } from "@openai/agents";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { answerText, createRuntime } from "zeph";

const cwd = mkdtempSync(join(tmpdir(), "zeph-loops-"));
process.on("exit", () => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, "hello.txt"), "Hello.\n");
const zeph = await createRuntime({ cwd, store: "memory", confirm: ({ args }) => (args.path === "ok.txt" ? "once" : "no") });
const answer = async (name, input, signal) => answerText(await zeph.callAny(name, input, { signal }));

// The AI SDK has an adapter.
const says = (unified, content) => ({ content, finishReason: { unified }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] });
const asks = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) });
const calls = [asks("1", "read", { path: "hello.txt" }), asks("2", "write", { path: "no.txt", content: "" })];
const model = new MockLanguageModelV3({
  doGenerate: [says("tool-calls", calls), says("stop", [{ type: "text", text: "It says hello." }])],
});
const { steps, text } = await generateText({ model, tools: zeph.toAiSdkTools(), stopWhen: stepCountIs(5), prompt: "What does it say?" });
assert.match(JSON.stringify([steps[0].toolResults, text]), /Hello\..+The user said no\..+It says hello\./);

// The others want a function for each tool.
const tools = zeph.tools().map(({ name, description, parameters }) => {
  const execute = (input, _context, details) => answer(name, input, details?.signal);
  return agentsTool({ name, description, parameters, strict: false, execute });
});
const asked = { type: "function_call", callId: "1", name: "read", arguments: '{"path":"/etc/shadow"}' };
const said = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "It may not be read." }] };
const turns = [asked, said].map((output) => ({ usage: {}, output: [output] }));
const agent = new Agent({ name: "reader", model: { getResponse: async () => turns.shift() }, tools });
assert.match(JSON.stringify((await new Runner({ tracingDisabled: true }).run(agent, "Read it.")).history), /policy_blocked.+It may not/);

const { description, parameters: schema } = zeph.tools().find(({ name }) => name === "write");
const write = langchainTool((input, config) => answer("write", input, config?.signal), { name: "write", description, schema });
assert.match(await write.invoke({ path: "ok.txt", content: "yes\n" }), /ok\.txt/);
await zeph.close();

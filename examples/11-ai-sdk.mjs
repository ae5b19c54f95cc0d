// You have an agent on the AI SDK already: give it Zeph's tools, and every call passes the door.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "hello.txt"), "Hello.\n");
const model = fakeModel([
  { type: "tool-call", toolCallId: "1", toolName: "read", input: '{"path":"hello.txt"}' },
  { type: "tool-call", toolCallId: "2", toolName: "read", input: '{"path":"/etc/passwd"}' },
  { type: "text", text: "It says hello. The other file I may not read." },
]);

const zeph = await createRuntime({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory" });
const tools = zeph.toAiSdkTools();
const { text, steps } = await zeph.turn(() => generateText({ model, tools, stopWhen: stepCountIs(5), prompt: "What do the files say?" }));
console.log(text);
await zeph.close();

const [read, refused] = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
assert(read.includes("Hello."));
// A call that fails is no exception: the model reads what happened and what to do.
console.log(refused);
assert(refused.startsWith("[tool_error]\ncategory: policy_blocked\n"));

/** In place of anthropic("…") or openai("…"): says one part after the other. */
function fakeModel(parts) {
  const tokens = { total: 1 };
  const answers = parts.map((part) => ({
    content: [part],
    finishReason: { unified: part.type === "text" ? "stop" : "tool-calls" },
    usage: { inputTokens: tokens, outputTokens: tokens },
    warnings: [],
  }));
  return new MockLanguageModelV3({ doGenerate: answers });
}

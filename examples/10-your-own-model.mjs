// A model is an id and a stream of events. This one is no LLM at all; yours may speak to any server.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, ModelError } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

/** Looks for what it was told to find, then counts the lines it got. `prompt` is { system, tools, messages }. */
const searcher = {
  id: "mine/searcher",
  contextTokens: 8000,
  async *stream({ messages }, signal) {
    signal.throwIfAborted(); // stop when you are told to; hand the signal to whatever you wait for
    const last = messages.at(-1);
    if (last.role === "user" && !last.text.startsWith("find "))
      // The message is for the person. "rate_limited", "server_error" and their like are tried again, "bad_request" is not.
      throw new ModelError("bad_request", `I only know "find <word>".`);
    if (last.role === "user") yield { type: "request", request: { id: "1", name: "grep", args: { pattern: last.text.slice(5) } } };
    else yield { type: "text", text: `${last.text.split("\n").filter((line) => line.includes(".txt")).length} lines` };
    yield { type: "end", finish: last.role === "user" ? "calls" : "stop", usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 1 } };
  },
};

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "a.txt"), "a cat\na dog\n");
writeFileSync(join(cwd, "b.txt"), "another cat\n");
const agent = await createAgent({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory", model: searcher });

const answers = [];
for await (const event of agent.send("find cat")) if (event.type === "text") answers.push(event.text);
for await (const event of agent.send("what is a cat?")) if (event.type === "done") answers.push(event.message);
await agent.close();

console.log(answers);
assert.deepEqual(answers, ["2 lines", 'I only know "find <word>".']);

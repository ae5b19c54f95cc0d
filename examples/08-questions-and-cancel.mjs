// Two ways to stay in charge of a turn: answer its questions, and stop it.
import assert from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
const write = (id, path) => ({ type: "request", request: { id, name: "write", args: { path, content: "x\n" } } });
const agent = await createAgent({
  cwd,
  config: { audit: { path: join(log, "audit.jsonl") } },
  store: "memory",
  // The answer may take its time: return a promise, and the turn waits. Other answers are "session", "always" and "no".
  confirm({ tool, args, why }) {
    console.log(`May ${tool} touch ${args.path}? ${why.join(" ")}`);
    return args.path === "notes.txt" ? "once" : "no";
  },
  model: scriptModel([
    [write("1", "notes.txt"), write("2", "other.txt")],
    [{ type: "text", text: "One is written, the other you did not want." }],
    [{ type: "text", text: "Now I rewrite everything." }, write("3", "everything.txt")],
    [{ type: "text", text: "As you wish." }],
  ]),
});

for await (const event of agent.send("Write two files.")) if (event.type === "done") console.log(event.totals);
assert(existsSync(join(cwd, "notes.txt")) && !existsSync(join(cwd, "other.txt")));

// Stopping works at any moment: while the model speaks, while a tool runs, while somebody is asked.
const stop = new AbortController();
for await (const event of agent.send("Go on.", { signal: stop.signal })) {
  if (event.type === "text") stop.abort();
  if (event.type === "done") assert.equal(event.why, "cancelled");
}
assert(!existsSync(join(cwd, "everything.txt")));

// What was said so far is kept, and the conversation goes on.
for await (const event of agent.send("Better not.")) if (event.type === "text") console.log(event.text);
const said = (await agent.history()).map(({ role }) => role);
assert.deepEqual(said, ["user", "assistant", "tool", "tool", "assistant", "user", "assistant", "user", "assistant"]);
await agent.close();

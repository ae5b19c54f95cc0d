// A planner and its workers: agents that work at once over one runtime, each with the rights and the budget of its role.
import assert from "node:assert";
import { join } from "node:path";
import { createAgent, createRuntime, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const [cwd, log] = [scratchFolder(), scratchFolder()];
const zeph = await createRuntime({ cwd, store: "memory", config: { audit: { path: join(log, "audit.jsonl") } } });
const deny = [{ pattern: "*", action: "deny" }];
const roles = { planner: { write: deny }, writer: { write: [{ pattern: "docs/**", action: "allow" }] }, tester: { write: deny } };
const work = async ([id, permissions]) => {
  const write = (path) => ({ type: "request", request: { id: path, name: "write", args: { path, content: id } } });
  const model = scriptModel([["docs", "src"].map((folder) => write(`${folder}/${id}.md`)), [{ type: "text", text: `${id} is done` }]]);
  return (await createAgent({ runtime: zeph.as({ id, permissions, limits: { calls: 9 } }), model })).run("Document this.");
};
const results = await Promise.all(Object.entries(roles).map(work));
const made = results.map(({ text, calls }) => [text, calls.filter(({ outcome }) => outcome.ok).length]);
assert.deepEqual(made.flat(), ["planner is done", 0, "writer is done", 1, "tester is done", 0]);
await zeph.close();

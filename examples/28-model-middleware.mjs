// Functions around the model: one counts, one keeps names from leaving, one answers from memory. Calls still go through the door.
import assert from "node:assert";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const seen = [];
async function* watched(prompt, next, { model }) {
  const before = performance.now();
  yield* next(prompt);
  seen.push(`${model}: ${prompt.messages.length} messages, ${Math.round(performance.now() - before)} ms`);
}

const nameless = (prompt, next) =>
  next({ ...prompt, messages: prompt.messages.map((one) => ("text" in one ? { ...one, text: one.text.replaceAll("Ada", "A.") } : one)) });

const answers = new Map();
async function* remembered(prompt, next) {
  const key = JSON.stringify(prompt.messages.at(-1));
  if (answers.has(key)) return yield* answers.get(key);
  const events = [];
  for await (const event of next(prompt)) {
    events.push(event);
    yield event;
  }
  answers.set(key, events);
}

const log = scratchFolder();
const agent = await createAgent({
  cwd: scratchFolder(),
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") } },
  model: scriptModel([[{ type: "text", text: "Fine, I think." }]]), // one answer, so the second one is remembered
  middleware: [watched, nameless, remembered],
});
for (const _ of [1, 2]) assert.equal((await agent.run("How is Ada?")).text, "Fine, I think.");
console.log(seen);
assert.equal(seen.length, 2);
assert.deepEqual([...answers.keys()], [JSON.stringify({ role: "user", text: "How is A.?" })]);
await agent.close();

// A conversation is kept in the store as it happens. Another agent, in another process if you like, goes on with it.
import assert from "node:assert";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const home = scratchFolder();
const cwd = join(home, "project");
mkdirSync(cwd);
const options = { cwd, config: { audit: { path: join(home, "audit.jsonl") } }, store: join(home, "zeph.db") };

const first = await createAgent({ ...options, model: scriptModel([[{ type: "text", text: "Nice to meet you, Ada." }]]) });
for await (const event of first.send("My name is Ada.")) if (event.type === "text") console.log(event.text);
const { conversation } = first; // null until something was said
await first.close();

// "last" in place of the id is the last conversation of this folder.
const second = await createAgent({ ...options, conversation, model: scriptModel([[{ type: "text", text: "Ada." }]]) });
for await (const event of second.send("What is my name?")) if (event.type === "text") console.log(event.text);
assert.equal(second.conversation, conversation);
assert.deepEqual(
  (await second.history()).map(({ text, parts }) => text ?? parts[0].text),
  ["My name is Ada.", "Nice to meet you, Ada.", "What is my name?", "Ada."],
);
await second.close();

// A conversation belongs to its folder: its files and its permissions are others elsewhere.
const elsewhere = createAgent({ ...options, cwd: home, conversation, model: scriptModel([]) });
await assert.rejects(elsewhere, /belongs to/);

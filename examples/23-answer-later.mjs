// A person answers hours later, when the process that asked has ended. The call is judged again, and the conversation goes on.
import assert from "node:assert";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const home = scratchFolder();
const cwd = join(home, "project");
mkdirSync(cwd);
const audit = join(home, "audit.jsonl");
const options = { cwd, config: { audit: { path: audit } }, store: join(home, "zeph.db"), confirm: () => "later" };

const request = { id: "call_1", name: "write", args: { path: "note.txt", content: "Hello." } };
const first = await createAgent({ ...options, model: scriptModel([[{ type: "request", request }]]) });
const { why, questions, conversation } = await first.run("Write a note.");
assert.equal(why, "waiting");
assert(!existsSync(join(cwd, "note.txt")));
await first.close(); // nothing is left but what is in the store

const second = await createAgent({ ...options, conversation, model: scriptModel([[{ type: "text", text: "It is written." }]]) });
const answer = { answer: "once", by: "ada", reason: "notes are fine" };
for await (const event of second.answer(questions[0].call_id, answer)) if (event.type === "text") console.log(event.text);
assert.equal(readFileSync(join(cwd, "note.txt"), "utf8"), "Hello.");
await second.close();

const last = JSON.parse(readFileSync(audit, "utf8").trim().split("\n").at(-1));
assert.deepEqual([last.approved_by, last.reason], ["ada", "notes are fine"]);

// What an agent knows: memories outlive the conversation, a skill is a folder with instructions, a plan is a goal with tasks.
import assert from "node:assert";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, scriptModel } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const home = scratchFolder();
const cwd = join(home, "project");
const skill = join(cwd, ".zeph/skills/release-notes");
mkdirSync(skill, { recursive: true });
writeFileSync(
  join(skill, "SKILL.md"),
  "---\nname: release-notes\ndescription: How we write release notes\n---\nOne line for each change.\n",
);
const options = { cwd, config: { audit: { path: join(home, "audit.jsonl") } }, store: join(home, "zeph.db") };

const call = (name, args) => ({ type: "request", request: { id: `id-${name}`, name, args } });
const say = (text) => ({ type: "text", text });

const agent = await createAgent({
  ...options,
  model: scriptModel([
    // Asked by /plan, without tools: it answers with tasks.
    [say('{"tasks":[{"id":1,"title":"Read how notes are written","needs":[]},{"id":2,"title":"Write them","needs":[1]}]}')],
    [call("load_skill", { name: "release-notes" })],
    [call("update_plan", { task: 1, status: "done" }), call("memory_save", { content: "Release notes have one line for each change." })],
    [say("I know how now.")],
  ]),
});

// Slash commands are part of the agent, so that any front end can offer them.
const plan = agent.commands().find(({ name }) => name === "/plan");
console.log((await plan.run("Write the release notes", AbortSignal.timeout(10_000))).text);

const tools = [];
for await (const event of agent.send("Begin.")) {
  if (event.type === "tool_end") tools.push([event.request.name, event.outcome.ok]);
  if (event.type === "text") console.log(event.text);
}
// Calls of one answer run side by side, so the last two end in either order.
assert.deepEqual(tools.sort(), [
  ["load_skill", true],
  ["memory_save", true],
  ["update_plan", true],
]);
console.log(await agent.status());
assert.match((await agent.status()).goal, /1 of 2/);

// The skill is nobody's whom you vouched for: what it leads to beyond reading asks from now on (`zeph trust --skill release-notes`).
await agent.close();

// Another conversation, another process: what was saved is found by its words.
const later = await createAgent({
  ...options,
  model: scriptModel([[call("memory_search", { query: "how are release notes written" })], [say("Line by line.")]]),
});
for await (const event of later.send("How do we write release notes?"))
  if (event.type === "tool_end") assert.match(event.outcome.output.text, /one line for each change/);
await later.close();

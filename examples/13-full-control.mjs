// Everything in your hands: the tools, the rules, the store, the log, the limits, and each event as a line of JSON.
import assert from "node:assert";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent, defineTool, eventJson, scriptModel } from "zeph";
import * as z from "zod";
import { scratchFolder } from "./scratch/folder.mjs";

const home = scratchFolder();
const cwd = join(home, "project");
mkdirSync(cwd);

const tickets = [];
const openTicket = defineTool({
  name: "open_ticket",
  description: "Open a ticket for the team.",
  effect: "stores",
  input: z.strictObject({ title: z.string().max(100) }),
  touches: () => [],
  async run(permit) {
    return { text: `ticket ${tickets.push(permit.input.title)}` };
  },
});

const heard = [];
const agent = await createAgent({
  cwd,
  store: join(home, "zeph.db"), // conversations, overflow, trust; "memory" keeps nothing
  system: "You work for the support team.",
  toolsets: [{ id: "support", list: () => [openTicket] }],
  // The whole configuration: docs/config.md lists every key. Your own files are not read.
  config: {
    audit: { path: join(home, "audit.jsonl") },
    agent: { context_budget_tokens: 20_000, max_tool_iterations: 20 },
    tools: {
      max_tool_calls_per_session: 2,
      permissions: {
        open_ticket: [{ pattern: "*", action: "allow" }],
        write: [
          { pattern: "drafts/**", action: "allow" },
          { pattern: "*", action: "deny" },
        ],
        bash: [{ pattern: "*", action: "deny" }], // hidden from the model, and refused should it ask all the same
      },
    },
  },
  confirm: () => "no",
  onEvent: ({ type }) => heard.push(type), // calls, questions and warnings, also those outside a turn
  model: scriptModel([
    [call("1", "open_ticket", { title: "Printer on fire" })],
    [call("2", "write", { path: "prices.csv", content: "0\n" })],
    [call("3", "write", { path: "drafts/answer.md", content: "Dear customer\n" })],
    [call("4", "open_ticket", { title: "One too many" })],
    [{ type: "text", text: "Never said: four rounds are allowed." }],
  ]),
});
assert(!agent.zeph.tools().some(({ name }) => name === "bash"));

const endings = [];
for await (const event of agent.send("The printer is on fire.", { maxTurns: 4 })) {
  console.log(JSON.stringify(eventJson(event))); // what `zeph run --json` prints
  if (event.type === "tool_end") endings.push(event.outcome.ok ? event.outcome.output.text : event.outcome.decision.gate);
  if (event.type === "done") endings.push(event.why);
}
await agent.close();

assert.deepEqual(endings, ["ticket 1", "permissions", "Created drafts/answer.md (14 bytes).", "quota", "iterations"]);
assert.deepEqual(tickets, ["Printer on fire"]);
assert.equal(heard.filter((type) => type === "tool_end").length, 4);

function call(id, name, args) {
  return { type: "request", request: { id, name, args } };
}

// Two people say yes before anything is deployed: a gate asks, and `confirm` collects. For "not the caller alone" there is tools.four_eyes.
import assert from "node:assert";
import { join } from "node:path";
import { createRuntime, defineTool } from "zeph";
import * as z from "zod";
import { scratchFolder } from "./scratch/folder.mjs";

const deploy = defineTool({
  name: "deploy",
  description: "Deploys a service.",
  effect: "fetches",
  input: z.strictObject({ service: z.string() }),
  touches: ({ service }) => [{ kind: "url", url: `https://deploy.example/${service}` }],
  run: async ({ input }) => ({ text: `${input.service} is deployed` }),
});

const people = [];
const fourEyes = { id: "four-eyes", judge: ({ tool }) => (tool === "deploy" ? { kind: "ask", why: "Two people have to agree." } : "pass") };
const confirm = () =>
  people.length >= 2 ? { answer: "once", by: people.join("+") } : { unasked: `Only ${people.length} of two people have agreed.` };

const log = scratchFolder();
const zeph = await createRuntime({
  cwd: scratchFolder(),
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") }, tools: { permissions: { deploy: [{ pattern: "*", action: "allow" }] } } },
  toolsets: [{ id: "mine", list: () => [deploy] }],
  gates: [fourEyes],
  confirm,
});
people.push("ada");
const alone = await zeph.call(deploy, { service: "web" });
console.log(alone.error.message); // Two people have to agree. Only 1 of two people have agreed.
assert.equal(alone.error.category, "confirmation_required");
people.push("bob");
assert.equal((await zeph.call(deploy, { service: "web" })).decision.by, "ada+bob");
await zeph.close();

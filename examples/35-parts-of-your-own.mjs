// A tool, a gate and a machine of your own in one program: progress, cancelling, an error the model can act on, two people who agree, office hours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answerText, createRuntime, defineTool, ToolError } from "zeph";
import { createMemoryHost } from "zeph/testing";
import * as z from "zod";
import { scratchFolder } from "./scratch/folder.mjs";

const deploy = defineTool({
  name: "deploy",
  description: "Deploys a service.",
  effect: "fetches",
  input: z.strictObject({ service: z.enum(["web", "api"]), steps: z.number().int().min(1).max(10).default(3) }),
  touches: ({ service }) => [{ kind: "url", url: `https://deploy.example/${service}` }],
  async run({ input: { service, steps } }, { signal, tell, turn }) {
    for (let done = 0; done < steps; done++) {
      tell({ message: `${service} for ${turn.callerId}`, done, total: steps });
      await sleep(30, undefined, { signal });
      if (service === "api") throw new ToolError("permanent_failure", "No deploys are left today.", { advice: "Try it tomorrow." });
    }
    return { text: `deployed ${service}`, raw: { service, revision: 7 } };
  },
});

let isOpen = true;
const gates = [
  { id: "office-hours", judge: ({ effect }) => (effect === "reads" || isOpen ? "pass" : { kind: "deny", why: "The office is closed." }) },
  { id: "two-people", judge: ({ tool }) => (tool === "deploy" ? { kind: "ask", why: "Two people have to agree." } : "pass") },
];
const progress = [];
const state = scratchFolder();
const allow = [{ pattern: "*", action: "allow" }];
const options = {
  store: "memory",
  config: {
    audit: { path: join(state, "audit.jsonl") },
    tools: { permissions: { deploy: allow, write: allow, edit: allow, bash: allow } },
  },
  toolsets: [{ id: "mine", list: () => [deploy] }],
  gates,
  onEvent: (event) => event.type === "progress" && progress.push(event.progress),
  confirm: () => ({ answer: "once", by: "ada+bob" }),
};
const zeph = await createRuntime({ ...options, cwd: scratchFolder() });
const say = async (service, more, steps = 3) => answerText(await zeph.call(deploy, { service, steps }, { callerId: "alice", ...more }));
assert.equal(await say("web"), "deployed web");
assert.deepEqual([progress.length, progress[0].message], [3, "web for alice"]);
assert.match(await say("api"), /No deploys are left today\.\nsuggestion: Try it tomorrow\./);
assert.match(await say("web", { signal: AbortSignal.timeout(50) }, 10), /category: cancelled|category: timeout/);
isOpen = false;
assert.match(await say("web"), /The office is closed\./);
isOpen = true;
await zeph.close();
assert.match(readFileSync(join(state, "audit.jsonl"), "utf8"), /"approved_by":"ada\+bob"/);

const host = createMemoryHost({
  files: { "/work/a.txt": "one\ntwo\n" },
  run: async ([, , command], { output }) => output(Buffer.from(`there: ${command}\n`), "stdout") ?? 0,
});
const remote = await createRuntime({ ...options, host, cwd: "/work" });
const edited = await remote.call("edit", { path: "a.txt", old_string: "one", new_string: "1" });
const ran = await remote.call("bash", { command: "uname -a" });
const outside = await remote.call("read", { path: "/etc/passwd" });
assert.deepEqual([edited.ok, ran.output.text, outside.error.category], [true, "there: uname -a", "policy_blocked"]);
assert.deepEqual(host.contents(), { "/work/a.txt": "1\ntwo\n" });
await remote.close();

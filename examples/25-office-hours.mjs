// A gate of your own: nothing is changed outside office hours. It comes after all of Zeph's, and can only ask or deny.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

let hour = 10; // new Date(time).getHours() in a real one
const officeHours = {
  id: "office-hours",
  judge({ effect }, { caller }) {
    if (effect === "reads" || (hour >= 9 && hour < 17)) return "pass";
    if (caller === "on-call") return { kind: "ask", rule: "on call", why: "It is late. Does this have to be done now?" };
    return { kind: "deny", rule: "closed", why: "Nothing is changed outside office hours (9 to 17)." };
  },
};

const cwd = scratchFolder();
const log = scratchFolder();
writeFileSync(join(cwd, "a.txt"), "hello\n");
const zeph = await createRuntime({
  cwd,
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") }, tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } } },
  gates: [officeHours],
});
const note = { path: "note.txt", content: "hi" };

assert((await zeph.call("write", note)).ok);
hour = 22;
const late = await zeph.call("write", note);
console.log(late.decision); // { verdict: 'deny', gate: 'office-hours', rule: 'closed', why: … }
assert.equal(late.decision.gate, "office-hours");
assert.equal((await zeph.as({ id: "on-call" }).judge("write", note)).verdict, "ask");
assert((await zeph.call("read", { path: "a.txt" })).ok);
await zeph.close();

// A call that needs a yes, and four ways to answer: once, session, always, no.
import assert from "node:assert";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
const answers = ["session", "no"];
const asked = [];
const zeph = await createRuntime({
  cwd,
  config: { audit: { path: join(log, "audit.jsonl") } },
  store: "memory",
  confirm({ tool, args, why }) {
    console.log(`May ${tool} change ${args.path}? ${why.join(" ")}`);
    asked.push(args.path);
    return answers.shift();
  },
});

assert((await zeph.call("write", { path: "notes.txt", content: "one" })).ok);
assert((await zeph.call("write", { path: "notes.txt", content: "two" })).ok); // not asked again: the same path, the same session
const refused = await zeph.call("write", { path: "other.txt", content: "three" });
console.log(refused.ok || refused.error.message);
assert.equal(refused.decision.by, "user");
assert.deepEqual(asked, ["notes.txt", "other.txt"]);

await zeph.close();

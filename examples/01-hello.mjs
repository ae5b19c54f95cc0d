// The first call: read a file, and see what happens to one that lies outside.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "hello.txt"), "Hello.\nHow are you?\n");

// An object is the whole configuration: nothing is read from your files. `store: "memory"` keeps nothing.
const zeph = await createRuntime({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory" });

const inside = await zeph.call("read", { path: "hello.txt" });
console.log(inside.ok && inside.output.text);
assert(inside.ok);

const outside = await zeph.call("read", { path: "/etc/passwd" });
console.log(outside.ok || outside.error.message);
assert.equal(outside.ok, false);
assert.equal(outside.decision.gate, "files");

await zeph.close();

// What would be decided, by whom and why: without doing anything.
import assert from "node:assert";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
const rules = [
  { pattern: "secrets/**", action: "deny" },
  { pattern: "src/**", action: "allow" },
];
const config = { audit: { path: join(log, "audit.jsonl") }, tools: { permissions: { write: rules } } };
const zeph = await createRuntime({ cwd, config, store: "memory" });

for (const path of ["src/a.ts", "README.md", "src/../secrets/key", "/etc/hosts"]) {
  const { verdict, gate, rule, why } = await zeph.judge("write", { path, content: "" });
  console.log(`${path}: ${verdict}${gate ? ` (${gate}${rule ? `, ${rule}` : ""}) ${why}` : ""}`);
}
assert.equal((await zeph.judge("write", { path: "src/a.ts", content: "" })).verdict, "allow");
assert.equal((await zeph.judge("write", { path: "src/../secrets/key", content: "" })).verdict, "deny");

await zeph.close();

// The lines of the audit log, handed to the program as well: after they are written, without secrets. The sink can neither change nor stop the log.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder();
writeFileSync(join(cwd, "a.txt"), "hello\n");

const table = []; // or an INSERT, a request, a line in another log; it may return a promise
const zeph = await createRuntime({
  cwd,
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") } },
  audit: ({ kind, tool, outcome, gate }) => void (kind === "call" && table.push([tool, outcome, gate])),
});
await zeph.call("read", { path: "a.txt" });
await zeph.call("read", { path: "/etc/passwd" });
await zeph.close(); // waits for what is still on its way
console.log(table);
assert.deepEqual(table, [
  ["read", "ok", undefined],
  ["read", "denied", "files"],
]);

// Where nothing may be done that this log does not have, the sink is required: what changes something is not done while it fails.
const strict = await createRuntime({
  cwd,
  store: "memory",
  config: { audit: { path: join(log, "strict.jsonl") }, tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } } },
  audit: { required: true, write: () => Promise.reject(new Error("no connection")) },
});
const refused = await strict.call("write", { path: "b.txt", content: "" });
console.log(refused.error.message);
assert(!refused.ok);
await strict.close();

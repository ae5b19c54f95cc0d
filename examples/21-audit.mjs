// A log that shows whether somebody changed it. The store remembers how it ended, so it lies elsewhere.
import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAudit, verifyAuditLog } from "zeph/audit";
import { scratchFolder } from "./scratch/folder.mjs";

const path = join(scratchFolder(), "audit.jsonl");
const store = join(scratchFolder(), "anchors.db");

const log = await openAudit({ path, store });
for (const tool of ["read", "write", "bash"]) log.append({ kind: "call", ts: new Date().toISOString(), tool, outcome: "ok" });
await log.close();
const [sound] = await verifyAuditLog({ path, store });
assert.deepEqual([sound.intact, sound.anchored, sound.lines], [true, true, 3]);

writeFileSync(path, readFileSync(path, "utf8").replace('"write"', '"weite"'));
const [edited] = await verifyAuditLog({ path, store });
console.log(edited.problems[0].reason);
assert.equal(edited.intact, false);

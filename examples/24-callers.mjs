// A planner and two workers on one runtime, each with rights, a quota and answers of its own.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const cwd = scratchFolder();
const log = scratchFolder();
writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
const zeph = await createRuntime({ cwd, store: "memory", config: { audit: { path: join(log, "audit.jsonl") } }, confirm: () => "session" });

const planner = zeph.as({ id: "planner", permissions: { write: [{ pattern: "*", action: "deny" }] }, quota: 2 });
const writer = zeph.as({ id: "writer", permissions: { write: [{ pattern: "docs/**", action: "allow" }] } });
const visitor = zeph.as({ id: "visitor", trust: "untrusted" });
writer.onEvent((event) => event.type === "tool_end" && console.log(`writer: ${event.request.name}, ${event.outcome.decision.verdict}`));

assert((await planner.call("read", { path: "a.ts" })).ok);
assert.equal((await planner.call("write", { path: "docs/plan.md", content: "" })).decision.gate, "permissions");
assert((await planner.call("read", { path: "." })).ok === false);
assert.equal((await planner.call("read", { path: "a.ts" })).decision.gate, "quota"); // two calls were admitted

assert((await writer.call("write", { path: "docs/plan.md", content: "# Plan\n" })).ok); // by its own rule
assert((await writer.call("write", { path: "b.ts", content: "" })).ok); // asked, and yes for this session
assert.equal((await visitor.call("write", { path: "b.ts", content: "" })).decision.gate, "trust"); // the writer's yes is not the visitor's
await zeph.close();

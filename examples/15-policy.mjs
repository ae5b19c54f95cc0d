// Rules in a file, with examples beside them: checked when they are read, exchanged while calls run, and written down when they refuse.
import assert from "node:assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "zeph";
import { scratchFolder } from "./scratch/folder.mjs";

const home = scratchFolder();
const cwd = join(home, "project");
mkdirSync(join(cwd, "src"), { recursive: true });
writeFileSync(join(cwd, "src/a.txt"), "hello\n");
const log = join(home, "audit.jsonl");

// The first rule that matches decides. `allow` and `deny` are examples: a rule that does not do what it was written for is an error at the start.
const policy = join(home, "policy.toml");
writeFileSync(
  policy,
  `
[[rules]]
effect = "deny"
tool = "read"
paths = ["**/.env", "**/*.pem"]
deny = [".env", "keys/server.pem"]
allow = ["src/a.txt"]

[[rules]]
action = "deny"
tools = ["bash"]
args_match = "git push.*--force"
deny = ["git push origin main --force"]
allow = ["git push origin main"]
`,
);
const tools = { policy: { enabled: true, default_effect: "allow", policy_file: policy } };
const zeph = await createRuntime({ cwd, store: "memory", config: { audit: { path: log }, tools } });

// Everyone's answer, without doing anything.
const { verdict, gate, rule, why } = await zeph.judge("bash", { command: "git push --force origin" });
console.log(`${verdict} by ${gate}, ${rule}: ${why}`);
assert.deepEqual([verdict, gate, rule], ["deny", "policy", "rule[1] deny (policy.toml:9)"]);

// A model reads that it was denied. Which rule it was is for you, in the log.
const refused = await zeph.call("read", { path: ".env" }, { phase: "executor" });
assert.equal(refused.error.message, "denied by policy");
const line = JSON.parse(readFileSync(log, "utf8").trimEnd().split("\n").at(-1));
console.log(line.policy_match);
assert.match(line.policy_match, /^rule\[0\] deny \(policy\.toml:2\): tool=read/);

// A rule whose example does not hold changes nothing: the rules before stay.
const good = readFileSync(policy, "utf8");
writeFileSync(policy, `${good}\n[[rules]]\neffect = "deny"\ntool = "read"\npaths = ["docs/**"]\ndeny = ["src/a.txt"]\n`);
const broken = await zeph.governance.reload({ audit: { path: log }, tools });
console.log(broken.problem);
assert.match(broken.problem, /src\/a\.txt/);
assert.equal((await zeph.judge("read", { path: "src/a.txt" })).verdict, "allow");

// Mended, it counts from the next call on.
writeFileSync(
  policy,
  `${good}\n[[rules]]\neffect = "deny"\ntool = "read"\npaths = ["src/**"]\ndeny = ["src/a.txt"]\n`.replace('allow = ["src/a.txt"]\n', ""),
);
assert.equal((await zeph.governance.reload({ audit: { path: log }, tools })).problem, undefined);
assert.equal((await zeph.judge("read", { path: "src/a.txt" })).verdict, "deny");

// How each gate is set, and how often it has spoken.
for (const { gate, state, passed, denied } of zeph.governance.gates())
  if (state !== "off") console.log(`${gate}: ${state}; ${passed} passed, ${denied} denied`);
assert.equal(zeph.governance.gates().find(({ gate }) => gate === "policy").denied, 1);
await zeph.close();

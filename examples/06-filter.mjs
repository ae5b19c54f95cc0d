// What a model would read of a command's output: shortened by rules, and never lied about.
import assert from "node:assert";
import { filterOutput, filterOutputAsync } from "zeph/filters";

const passing = Array.from({ length: 40 }, (_, n) => `uploading part ${n + 1} of 40`);
const raw = [...passing, "release 41 is live on 3 hosts", "host-4: connection refused", ""].join("\n");

// A rule of your own, as in filters.toml. Ours know test runners, compilers, git and the like.
const rules_toml = `
[[rules]]
name = "deploy"
match = { prefix = "./deploy.sh" }
strategy = { type = "strip_noise", patterns = ['^uploading part \\d+ of \\d+$'] }
`;
const request = { command: "cd app && ./deploy.sh staging", raw, exitCode: 1, filters: { rules_toml } };
const { text, rule, confidence, lines, rawLines, warnings } = filterOutput(request);
console.log(text);
assert.equal(text, "release 41 is live on 3 hosts\nhost-4: connection refused\n[-40 lines]");
assert.deepEqual(
  { rule, confidence, lines, rawLines, warnings },
  { rule: "deploy", confidence: "Full", lines: 2, rawLines: 42, warnings: [] },
);

// An error that no rule knows of stays, wherever it comes.
const surprise = filterOutput({ ...request, raw: raw.replace("uploading part 20 of 40", "ERROR: disk full") });
assert(surprise.text.includes("ERROR: disk full"));

// What somebody asked for as it is stays as it is.
assert.equal(filterOutput({ command: "cat deploy.txt", raw, exitCode: 0 }).text, raw);

// Secrets are taken out of whatever is shown, and the text says so. (Put together here, so that nobody takes it for a real one.)
const token = `${"gh"}p_${"Zk3Q9xWmT7".repeat(4).slice(0, 36)}`;
const secret = filterOutput({ command: "./deploy.sh", raw: `using token ${token}\n`, exitCode: 0 });
console.log(secret.text);
assert(!secret.text.includes(token));
assert.equal(secret.secrets.length, 1);

// Megabytes take a while. The same in a thread, so that a server goes on serving.
const long = { command: "./deploy.sh", raw: `api_key=${token}\n`.repeat(20_000), exitCode: 0 };
const later = await filterOutputAsync(long);
assert(!later.text.includes(token));
assert.equal(later.rawLines, 20_000);

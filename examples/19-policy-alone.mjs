// Rules without a runtime: what they say of a call, and which of them said it.
import assert from "node:assert";
import { createPolicy } from "zeph/policy";

const policy = await createPolicy({
  cwd: import.meta.dirname,
  rules: [
    { effect: "deny", tool: "bash", args_match: "git push" },
    { effect: "allow", tool: "bash" },
    { effect: "allow", tool: "read", paths: ["docs/**"] },
  ],
});
const push = policy.judge("bash", { command: "git push --force" });
console.log(push.verdict, push.why);
assert.equal(push.verdict, "deny");
assert.equal(policy.judge("bash", { command: "git status" }).verdict, "allow");
assert.equal(policy.judge("read", { path: "docs/a.md" }).verdict, "allow");
assert.equal(policy.judge("read", { path: "secret.md" }).verdict, "deny"); // no rule speaks of it

// Rules that make no sense are refused, all mistakes at once.
await assert.rejects(createPolicy({ rules: '[[rules]]\neffect = "alow"\ntool = "bash"' }), { name: "ConfigError" });

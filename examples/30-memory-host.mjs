// A machine in memory, for tests of your own agent: nothing of the real one is read or written.
import assert from "node:assert";
import { join } from "node:path";
import { createAgent } from "zeph";
import { createMemoryHost, scriptModel } from "zeph/testing";
import { scratchFolder } from "./scratch/folder.mjs";

const host = createMemoryHost({
  files: { "/work/price.txt": "10\n", "/etc/passwd": "root\n" },
  links: { "/work/link": "/etc/passwd" },
  async run([, , command], { output }) {
    output(Buffer.from(`pretended: ${command}\n`), "stdout");
    return 0;
  },
});
const request = (name, args) => ({ type: "request", request: { id: name, name, args } });
const model = scriptModel([
  [request("edit", { path: "price.txt", old_string: "10", new_string: "12" })],
  [request("read", { path: "link" })],
  [request("bash", { command: "make test" })],
  [{ type: "text", text: "Done." }],
]);

const log = scratchFolder();
const tools = { permissions: { edit: [{ pattern: "*", action: "allow" }] } };
const agent = await createAgent({
  cwd: "/work",
  host,
  model,
  store: "memory",
  config: { audit: { path: join(log, "audit.jsonl") }, tools },
});
const { calls } = await agent.run("Raise the price and run the tests.");
await agent.close();

console.log(calls.map(({ tool, outcome }) => `${tool}: ${outcome.ok ? outcome.output.text : outcome.error.message}`));
assert.deepEqual(host.contents(), { "/work/price.txt": "12\n", "/etc/passwd": "root\n" });
assert.deepEqual(
  calls.map(({ outcome }) => outcome.ok),
  [true, false, true],
);

// A tool of your own. It passes the same door, is recorded in the same log, and reaches files only through the host.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime, defineTool } from "zeph";
import * as z from "zod";
import { scratchFolder } from "./scratch/folder.mjs";

const countWords = defineTool({
  name: "count_words",
  description: "Count the words of a text file.",
  effect: "reads", // required: permissions, retries and the log derive from it
  input: z.strictObject({ path: z.string() }),
  touches: ({ path }) => [{ kind: "path", access: "read", path }], // required: rules speak of what a call touches
  async run(permit, { host, signal }) {
    const { lines } = await host.files.lines(permit, permit.input.path, { offset: 1, limit: 1000 }, signal);
    return { text: String(lines.join(" ").split(/\s+/).filter(Boolean).length) };
  },
});

const cwd = scratchFolder();
const log = scratchFolder(); // what shows what was done lies apart from where it is done
writeFileSync(join(cwd, "a.txt"), "one two three\n");
const toolset = { id: "mine", list: () => [countWords] };
const zeph = await createRuntime({ cwd, config: { audit: { path: join(log, "audit.jsonl") } }, store: "memory", toolsets: [toolset] });

const counted = await zeph.call("count_words", { path: "a.txt" });
console.log(counted.ok && counted.output.text);
assert(counted.ok && counted.output.text === "3");
assert.equal((await zeph.call("count_words", { path: "/etc/passwd" })).decision.gate, "files");

await zeph.close();

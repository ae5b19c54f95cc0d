// One conversation, very long. `grow <db> <turns>` prints memory on the way; `resume <db>` how long it takes to the next request.
import { tmpdir } from "node:os";
import { createAgent } from "../dist/lib/index.js";

const [what, store, count] = process.argv.slice(2);
let asked = 0;
const model = {
  id: "bench/model",
  contextTokens: 128_000,
  async *stream({ messages }) {
    asked = performance.now();
    if (messages.at(-1).role === "tool")
      return yield { type: "text", text: "It is there, as it was before, and nothing else needs to be done." };
    yield {
      type: "request",
      request: { id: `c${messages.length}_${Math.random().toString(36).slice(2)}`, name: "read", args: { path: "data.txt", limit: 5 } },
    };
  },
};
const options = { cwd: process.cwd(), store, config: { audit: { path: `${store}.jsonl` } }, model };

if (what === "resume") {
  const started = performance.now();
  const agent = await createAgent({ ...options, conversation: "last" });
  for await (const event of agent.send("Still there?")) void event;
  console.log(JSON.stringify({ resumeMs: asked - started }));
  await agent.close();
} else {
  const agent = await createAgent(options);
  const points = [];
  for (let n = 1; n <= Number(count); n++) {
    for await (const event of agent.send(`Question ${n}: what do the first lines of data.txt say?`)) void event;
    if (n % (Number(count) / 10) === 0) {
      globalThis.gc();
      const { heapUsed, rss } = process.memoryUsage();
      points.push({ n, heap: heapUsed / 1e6, rss: rss / 1e6 });
      process.stderr.write(`  turn ${n}: heap ${(heapUsed / 1e6).toFixed(1)} MB, rss ${(rss / 1e6).toFixed(0)} MB\n`);
    }
  }
  console.log(JSON.stringify({ points, tmp: tmpdir() }));
  await agent.close();
}

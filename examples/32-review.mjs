// A review in CI: tools that only read, a budget of tokens, dollars and time, an answer by schema, and an exit code for each end.
import assert from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, ModelError, scriptModel } from "zeph";
import * as z from "zod";
import { scratchFolder } from "./scratch/folder.mjs";

const Finding = z.strictObject({ path: z.string(), line: z.int(), severity: z.enum(["low", "high"]), text: z.string() });
const Review = z.strictObject({ verdict: z.enum(["approve", "request_changes"]), findings: z.array(Finding) });
const CODES = { answered: 0, output: 5, budget: 6, failed: 7 };

async function review(diff, { cwd, limits, model }) {
  const config = { audit: { path: join(scratchFolder(), "audit.jsonl") }, autonomy: "readonly" };
  let agent;
  try {
    agent = await createAgent({ cwd, model, store: "memory", config, system: "You review diffs. Read what you need." });
    const { output, why, message, totals } = await agent.run(`Review this diff:\n\n${diff}`, { schema: Review, limits });
    return { code: output?.verdict === "request_changes" ? 1 : (CODES[why] ?? 2), output, why: message ?? why, totals };
  } catch (error) {
    return { code: error instanceof ModelError ? 7 : 2, why: error.message };
  } finally {
    await agent?.close();
  }
}

const cwd = scratchFolder();
writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
const end = { type: "end", finish: "stop", usage: { input: 10_000, cacheRead: 0, cacheWrite: 0, output: 500 } };
const reads = [{ type: "request", request: { id: "1", name: "read", args: { path: "a.ts" } } }, end];
const says = (answer) => [{ type: "text", text: JSON.stringify(answer) }, end];
const finding = { path: "a.ts", line: 1, severity: "low", text: "Name it." };
const reviewed = (limits, ...turns) => review("+a", { cwd, limits, model: { ...scriptModel(turns), price: { input: 3, output: 15 } } });
assert.equal((await reviewed({ usd: 1 }, reads, says({ verdict: "approve", findings: [] }))).code, 0);
assert.equal((await reviewed({ usd: 1 }, reads, says("fine"), says({ verdict: "request_changes", findings: [finding] }))).code, 1);
assert.equal((await reviewed({ tokens: 15_000 }, reads, reads, reads)).code, 6);
assert.equal((await reviewed({ usd: 1 }, says("fine"), says("really"))).code, 5);
assert.equal((await review("+a", { cwd, model: "nobody" })).code, 7);

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** Run beside other people's packages, and beside a database: test/peers/loops-of-others.test.ts, lab/adapters/run.mjs, test/fleet/commands.test.ts. */
const ELSEWHERE = [
  "34-loops-of-others.mjs",
  "36-fleet.mjs",
  "37-ai-sdk-govern.mjs",
  "38-openai-agents.mjs",
  "39-langchain.mjs",
  "40-mastra.mjs",
  "41-claude-agent-sdk.mjs",
];
const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".mjs") && !ELSEWHERE.includes(name));

test.each(examples)("examples/%s runs, checks itself and leaves nothing behind", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "zeph-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [join(root, "examples", name)], { encoding: "utf8", cwd: root, env });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shareOf } from "./effort.ts";

const root = join(import.meta.dirname, "..");
/** They need other people's packages, or a database. Run by test/loops-of-others.test.ts, test/fleet/commands.test.ts and lab/adapters/run.mjs. */
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

test.each(shareOf(examples))("examples/%s runs, checks itself and leaves nothing behind", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "zeph-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [join(root, "examples", name)], { encoding: "utf8", cwd: root, env });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

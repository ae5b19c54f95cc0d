import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".mjs"));

test.each(examples)("examples/%s runs and checks itself", (name) => {
  // Each keeps its folders, for whoever wants to look at them afterwards.
  const folder = mkdtempSync(join(tmpdir(), "zeph-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [join(root, "examples", name)], { encoding: "utf8", cwd: root, env });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

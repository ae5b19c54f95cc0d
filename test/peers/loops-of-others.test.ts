import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { havePeers, peersFolder } from "./peers.ts";

const root = join(import.meta.dirname, "../..");

test.skipIf(!havePeers)("examples/34-loops-of-others.mjs runs and checks itself", () => {
  const folder = mkdtempSync(join(tmpdir(), "zeph-loops-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, "node_modules");
  mkdirSync(installed);
  symlinkSync(root, join(installed, "zeph"));
  symlinkSync(join(root, "node_modules/ai"), join(installed, "ai"));
  for (const name of ["@openai", "@langchain"]) symlinkSync(join(peersFolder, name), join(installed, name));
  copyFileSync(join(root, "examples/34-loops-of-others.mjs"), join(folder, "program.mjs"));
  const { status, stderr } = spawnSync(process.execPath, ["program.mjs"], {
    encoding: "utf8",
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

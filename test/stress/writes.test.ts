import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRuntime } from "../../src/runtime/library/library.ts";
import { bundleChild, startChild } from "./processes.ts";

const KILLS = Number(process.env.KILLS ?? 15);
const folder = mkdtempSync(join(tmpdir(), "zeph-writes-"));
const work = join(folder, "work");
let child = "";

beforeAll(async () => {
  mkdirSync(join(work, "tree/deep"), { recursive: true });
  for (let n = 0; n < 40; n++) writeFileSync(join(work, `tree/deep/f${n}`), "x".repeat(1000));
  writeFileSync(join(work, "a.txt"), "old".repeat(300_000));
  child = await bundleChild();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

it(`leaves every file whole and nothing half-made when the process is killed at any moment, ${KILLS} times`, async () => {
  let leftBehind = 0;
  for (let round = 0; round < KILLS; round++) {
    const writer = startChild(process.execPath, [child, "files", folder]);
    await writer.heard(1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
    writer.process.kill("SIGKILL");
    await writer.ended;

    const text = readFileSync(join(work, "a.txt"), "utf8");
    expect([text === "old".repeat(300_000), text === "new".repeat(300_000)]).toContain(true);
    leftBehind += temporary().length;
    // The next start tidies up: notes of unfinished writes lie beside the audit log.
    const zeph = await createRuntime({ cwd: work, config: { audit: { path: join(folder, "audit.jsonl") } }, store: "memory" });
    await zeph.close();
    expect(temporary()).toEqual([]);
    if (readdirSync(work).includes("copy")) expect(readdirSync(join(work, "copy/deep")).length).toBe(40);
    for (const name of readdirSync(work))
      if (name === "copy" || name.startsWith("gone-")) rmSync(join(work, name), { recursive: true, force: true });
  }
  // Otherwise the test would not have tested the tidying.
  if (KILLS >= 50) expect(leftBehind).toBeGreaterThan(0);
});

const temporary = () => readdirSync(work).filter((name) => name.startsWith(".zeph-"));

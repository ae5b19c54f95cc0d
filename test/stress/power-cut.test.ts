import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openAuditFile } from "../../src/store/audit/audit-file.ts";
import { verifyAudit } from "../../src/store/audit/verify.ts";
import { openStore } from "../../src/store/open.ts";
import { bundleChild, startChild } from "./processes.ts";

const CUTS = Number(process.env.KILLS ?? 20);
const FILES = ["zeph.db", "zeph.db-wal", "audit.jsonl"];
let child = "";
const folder = mkdtempSync(join(tmpdir(), "zeph-power-"));
beforeAll(async () => {
  child = await bundleChild();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

it(`finds the store sound, and the log whole or told where it is not, after ${CUTS} power cuts at any moment`, async () => {
  const live = join(folder, "live");
  mkdirSync(live);
  const writer = startChild(process.execPath, [child, "write", live]);
  onTestFinished(() => void writer.process.kill("SIGKILL"));
  await writer.heard(1);
  for (let cut = 0; cut < CUTS; cut++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    // All files as they are at one moment: the process stands still while they are copied.
    process.kill(writer.process.pid!, "SIGSTOP");
    const copy = join(folder, `copy-${cut}`);
    mkdirSync(copy);
    for (const file of FILES) if (existsSync(join(live, file))) copyFileSync(join(live, file), join(copy, file));
    const acknowledged = writer.said().filter(({ line }) => line).length;
    // What had not reached the disk: the end of one file, of the other, of both or of none.
    const lost = { wal: cut % 3 === 1, log: cut % 3 === 2 || cut % 6 === 4 };
    if (lost.wal) cutEnd(join(copy, "zeph.db-wal"));
    if (lost.log) cutEnd(join(copy, "audit.jsonl"));
    await examine(copy, { acknowledged, ...lost });
    rmSync(copy, { recursive: true, force: true });
    process.kill(writer.process.pid!, "SIGCONT");
  }
  writer.process.kill("SIGKILL");
  await writer.ended;
});

function cutEnd(file: string): void {
  if (!existsSync(file)) return;
  const { size } = statSync(file);
  truncateSync(file, size - Math.floor(Math.random() * Math.min(size, 20_000)));
}

async function examine(copy: string, { acknowledged, wal, log }: { acknowledged: number; wal: boolean; log: boolean }): Promise<void> {
  const file = join(copy, "audit.jsonl");
  const store = openStore(join(copy, "zeph.db"));
  // The log is looked up by its path; the copy lies elsewhere.
  const anchor = store.anchors.get(join(copy, "..", "live", "audit.jsonl"));
  const found = await verifyAudit(file, anchor);
  const lines = readFileSync(file, "utf8").split("\n").length - 1;
  if (!log) expect(lines).toBeGreaterThanOrEqual(acknowledged);
  if (!log && !wal) expect(found).toMatchObject({ intact: true, problems: [] });
  // Lines that are gone are missed by number, and nothing else is reported.
  for (const { kind, reason } of found.problems) {
    expect(kind).toBe("tail");
    expect(reason).toMatch(
      /The log ends after line \d+, but \d+ lines were recorded|Line \d+ was written whole and acknowledged|not recorded|store/,
    );
  }
  if (log && anchor && found.lines < anchor.count) expect(found.intact).toBe(false);
  // Whoever starts next writes on.
  const next = openAuditFile(file, store.anchors);
  next.append({ kind: "note", ts: new Date().toISOString(), note: "after the cut" });
  next.close();
  await store.close();
  const db = new DatabaseSync(join(copy, "zeph.db"));
  expect(db.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  db.close();
  expect(readFileSync(file, "utf8")).toContain("after the cut");
}

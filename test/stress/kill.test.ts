import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyAudit } from "../../src/store/audit/verify.ts";
import { openStore } from "../../src/store/open.ts";
import { bundleChild, startChild } from "./processes.ts";

const ROUNDS = Number(process.env.KILLS ?? 20);
let child = "";
const folder = mkdtempSync(join(tmpdir(), "zeph-kill-"));
beforeAll(async () => {
  child = await bundleChild();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(child), { recursive: true, force: true });
});

it(`loses nothing acknowledged when the process is killed at any moment, ${ROUNDS} times`, async () => {
  const log = join(folder, "audit.jsonl");
  let acknowledged = 0;
  const lines = new Set<string>();
  const rows = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const writer = startChild(process.execPath, [child, "write", folder]);
    await writer.heard(1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    writer.process.kill("SIGKILL");
    await writer.ended;
    for (const word of writer.said()) {
      if (word.path) expect(word.path).toBe(log);
      if (word.line) lines.add(word.line);
      if (word.row) rows.set(word.conversation, word.row / 5);
      acknowledged += 1;
    }
  }
  const store = openStore(join(folder, "zeph.db"));
  const written = new Set(
    readFileSync(log, "utf8")
      .split("\n")
      .map((line) => /"call_id":"([^"]*)"/.exec(line)?.[1]),
  );
  expect([...lines].filter((line) => !written.has(line))).toEqual([]);
  for (const [id, count] of rows) {
    const messages = await store.conversations.messages(id, { after: 0, limit: 1e6 });
    expect(messages.length).toBeGreaterThanOrEqual(count);
  }
  expect(await verifyAudit(log, store.anchors.get(log))).toMatchObject({ intact: true, anchored: true, problems: [] });
  await store.close();
  const db = new DatabaseSync(join(folder, "zeph.db"));
  expect(db.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  db.close();
  expect(acknowledged).toBeGreaterThan(ROUNDS * 5);
});

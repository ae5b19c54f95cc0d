import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { openStore } from "../open.ts";
import { migrate } from "./migrations.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-reclaim-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const fresh = () => join(mkdtempSync(join(root, "f-")), "zeph.db");
const sizeOf = (file: string) =>
  [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
const MB = 1024 * 1024;
const owner = { session: "s" };
/** Enough to be told from what an empty file takes. */
const MEGABYTES = 20;

async function fill(file: string): Promise<void> {
  const store = openStore(file);
  for (let n = 0; n < MEGABYTES; n++) await store.overflow.put({ owner, text: "x".repeat(MB) });
  await store.close();
  const db = new DatabaseSync(file);
  db.exec("update tool_overflow set created_at = 1");
  db.close();
}

describe("the disk space of expired texts", () => {
  it("is given back while the process runs", async () => {
    const file = fresh();
    await fill(file);
    expect(sizeOf(file)).toBeGreaterThan(MEGABYTES * MB);
    const store = openStore(file);
    const id = await store.overflow.put({ owner, text: "of today" });
    expect(await store.overflow.expire(1000)).toBe(MEGABYTES);
    expect(sizeOf(file)).toBeLessThan(3 * MB);
    expect(await store.overflow.get(owner, id)).toMatchObject({ text: "of today" });
    await store.close();
  });

  it("is given back by a process that is over at once", async () => {
    const file = fresh();
    await fill(file);
    for (let run = 0; run < 5; run++) {
      const store = openStore(file);
      void store.overflow.expire(1000).catch(() => {});
      await store.close();
    }
    expect(sizeOf(file)).toBeLessThan(3 * MB);
  });

  it("is given back by a file that was made before that could be done, once, when it is closed", async () => {
    const file = fresh();
    const old = new DatabaseSync(file);
    migrate(old, file);
    old.close();
    await fill(file);
    const store = openStore(file);
    const id = await store.overflow.put({ owner, text: "of today" });
    await store.overflow.expire(1000);
    expect(sizeOf(file)).toBeGreaterThan(MEGABYTES * MB);
    await store.close();
    expect(sizeOf(file)).toBeLessThan(3 * MB);
    const again = openStore(file);
    expect(await again.overflow.get(owner, id)).toMatchObject({ text: "of today" });
    await again.close();
  });

  it("waits while another process writes, and neither fails", async () => {
    const file = fresh();
    await fill(file);
    const store = openStore(file);
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const expiring = store.overflow.expire(1000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    other.exec("commit");
    expect(await expiring).toBe(MEGABYTES);
    other.exec("begin immediate");
    await store.close();
    other.exec("commit");
    other.close();
  });
});

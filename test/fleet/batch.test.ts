import { describe, expect, it } from "vitest";
import { type BatchDefaults, type KeyedBatchTask, readBatchLine } from "../../src/fleet/batch/batch-line.ts";
import { type BatchCounts, feedBatch } from "../../src/fleet/batch/feed-batch.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const defaults: BatchDefaults = { batch: "spring", limits: [], readRepo: (url) => ({ url }) };
async function* tasksOf(lines: readonly object[], how = defaults): AsyncGenerator<KeyedBatchTask> {
  for (const line of lines) yield readBatchLine(JSON.stringify(line), how);
}
const never = new AbortController().signal;

describe.skipIf(!hasPostgres)("a batch", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  const open = () => {
    const tenant = newTenant();
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    return { tenant, db, queue: createTaskQueue(db) };
  };

  it("of ten thousand lines is put in once, however often it comes, and its results are in the order of the lines", async () => {
    const { db, queue } = open();
    const lines = Array.from({ length: 10_000 }, (_, n) => ({ text: `Look at ${n}`, key: `k${n}` }));
    const told: BatchCounts[] = [];
    const feed = () =>
      feedBatch(queue, { tasks: tasksOf(lines), maxQueued: 20_000, signal: never, onProgress: (counts) => told.push(counts) });
    expect(await feed()).toEqual({ given: 10_000, fresh: 10_000, again: 0 });
    expect(told.length).toBe(20);
    expect(await feed()).toEqual({ given: 10_000, fresh: 0, again: 0 });
    expect(
      await feedBatch(queue, { tasks: tasksOf([...lines.slice(-9), { text: "one more" }]), maxQueued: 20_000, signal: never }),
    ).toEqual({
      given: 10,
      fresh: 1,
      again: 0,
    });
    const keys: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = await queue.results("spring", after, 3000);
      keys.push(...page.results.map(({ key }) => key));
      after = page.next;
    }
    expect(keys.slice(0, -1)).toEqual(lines.map(({ key }) => key));
    await db.close();
  });

  it("counts a line once that comes twice", async () => {
    const { db, queue } = open();
    const lines = [{ text: "a" }, { text: "b" }, { text: "a" }];
    expect(await feedBatch(queue, { tasks: tasksOf(lines), maxQueued: 100, signal: never })).toEqual({ given: 3, fresh: 2, again: 0 });
    await db.close();
  });

  it("waits while too many tasks wait, and goes on as they are taken", async () => {
    const { tenant, db, queue } = open();
    const worker = openWorkerQueue({ url });
    await worker.register({ name: `w-${tenant}`, version: "1", slots: 100, labels: [], tenant, formats: [1], leaseMs: 60_000 });
    const lines = Array.from({ length: 30 }, (_, n) => ({ text: `t${n}` }));
    let waits = 0;
    const counts = await feedBatch(queue, {
      tasks: tasksOf(lines),
      maxQueued: 10,
      signal: never,
      onFull: () => {
        waits++;
        void worker.take(10, []);
      },
    });
    expect(counts).toEqual({ given: 30, fresh: 30, again: 0 });
    expect(waits).toBeGreaterThanOrEqual(2);
    expect((await queue.status()).counts).toMatchObject({ queued: 10, running: 20 });
    await worker.close();
    await db.close();
  });

  it("can be stopped while it waits, and says how far it came", async () => {
    const { db, queue } = open();
    const stop = new AbortController();
    const lines = Array.from({ length: 30 }, (_, n) => ({ text: `t${n}` }));
    const counts = await feedBatch(queue, { tasks: tasksOf(lines), maxQueued: 7, signal: stop.signal, onFull: () => stop.abort() });
    expect(counts).toEqual({ given: 7, fresh: 7, again: 0 });
    await db.close();
  });
});

import { describe, expect, it } from "vitest";
import type { TakenTask } from "../../src/fleet/worker-queue.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { expireLeases, GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("everybody at once", async () => {
  const url = hasPostgres ? await makeSchema() : "";

  it("who submits, takes, ends, reaps and cancels at the same time waits for nobody for ever, and no task is left behind", async () => {
    const { queue, db, openWorker } = openQueueParts(url);
    const workers = await Promise.all(Array.from({ length: 4 }, (_, n) => openWorker(`storm-${n}`)));
    const epochs = new Set<string>();
    const doubles: string[] = [];
    let isOver = false;
    const chance = (share: number) => Math.random() < share;
    const keep = (tasks: readonly TakenTask[]) => {
      for (const { session, epoch } of tasks) {
        if (epochs.has(`${session} ${epoch}`)) doubles.push(`${session} ${epoch}`);
        epochs.add(`${session} ${epoch}`);
      }
      return tasks;
    };
    const work = async (n: number): Promise<void> => {
      const worker = workers[n]!;
      while (!isOver) {
        const tasks = keep(await worker.take(3, []));
        await worker.beat(tasks);
        for (const task of tasks) {
          await worker.intent(task, "one", "writes");
          if (chance(0.8)) await worker.done(task, "one", "ok");
          if (chance(0.6)) await worker.finish(task, "done", GOOD);
          else if (chance(0.5)) await worker.giveBack(task, { counts: chance(0.5) });
          else await expireLeases(db);
        }
        await worker.reap();
      }
    };
    const ask = async (name: string): Promise<void> => {
      for (let n = 0; n < 60; n++) {
        const ids = await queue.submit(
          Array.from({ length: 5 }, (_, i) =>
            newTask(`${name}-${n}-${i}`, { session: `s${(n * 7 + i) % 9}`, batch: `b${n % 4}`, limit: "l" }),
          ),
        );
        if (chance(0.2)) await queue.cancel({ id: ids[0]!.id }, "x");
        if (chance(0.05)) await queue.cancel({ batch: `b${n % 4}` }, "x");
        if (chance(0.2)) await queue.setLimit("l", 1 + (n % 5));
      }
    };
    const working = Promise.all(workers.map((_, n) => work(n)));
    await Promise.all(["x", "y", "z"].map(ask));
    // Both counts in one answer: between two, a task can go back from one to the other and be in neither.
    const left = async () => {
      const { counts } = await queue.status();
      return counts.queued + counts.running;
    };
    while ((await left()) > 0) await expireLeases(db);
    isOver = true;
    await working;
    expect(doubles).toEqual([]);
    expect(await db.all("select id, holder from sessions where holder is not null")).toEqual([]);
    expect(await db.all("select 1 from calls where state = 'intent'")).toEqual([]);
    const { counts } = await queue.status();
    expect(counts.done + counts.failed + counts.cancelled).toBe(60 * 15);
  });
});

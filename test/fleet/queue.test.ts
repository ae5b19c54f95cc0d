import { describe, expect, it } from "vitest";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import type { NewTask } from "../../src/fleet/task.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("the queue", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  it("a task goes through it", async () => {
    const db = openPg({ url, tenant: newTenant() });
    const queue = createTaskQueue(db);
    const task: NewTask = { key: "a", payload: { format: 1, text: "x" } };
    console.log(await queue.submit([task, { ...task, key: "b" }]));
    console.log(await queue.submit([task, { ...task, key: "b" }]));
    const worker = openWorkerQueue({ url });
    await worker.register({ name: "w1", version: "1", slots: 2, labels: [], tenant: null, formats: [1], leaseMs: 2000 });
    const got = await worker.take(8, []);
    console.log(got);
    console.log(await worker.intent(got[0]!, "c1", "writes"));
    console.log(await worker.done(got[0]!, "c1", "ok"));
    console.log(await worker.beat(got));
    console.log(await worker.finish(got[0]!, "done", { ok: true, text: "", unknown: 0, worker: "w1" }));
    console.log(await worker.giveBack(got[1]!));
    console.log(
      await queue.list(),
      await queue.status(),
      await queue.depths(),
      await queue.workers(),
      await worker.reap(),
      await worker.waitingTenants(),
    );
    await worker.close();
    await db.close();
    expect(1).toBe(1);
  });
});

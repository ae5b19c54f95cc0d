import { onTestFinished } from "vitest";
import { createTaskQueue, type TaskQueue } from "../../src/fleet/queue.ts";
import type { NewTask, TaskResult } from "../../src/fleet/task.ts";
import { openWorkerQueue, type WorkerInfo, type WorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { newTenant } from "./database.ts";

export interface QueueParts {
  readonly tenant: string;
  readonly db: Pg;
  readonly queue: TaskQueue;
  submitOne(key: string, more?: Partial<NewTask>): Promise<string>;
  /** A worker that takes this tenant's tasks, unless it says otherwise. */
  openWorker(name: string, more?: Partial<WorkerInfo>): Promise<WorkerQueue>;
}

/** A tenant of its own, closed with the test. */
export function openQueueParts(url: string, tenant = newTenant()): QueueParts {
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  onTestFinished(() => db.close());
  const queue = createTaskQueue(db);
  return {
    tenant,
    db,
    queue,
    submitOne: async (key, more) => (await queue.submit([newTask(key, more)]))[0]!.id,
    async openWorker(name, more = {}) {
      const worker = openWorkerQueue({ url, connections: 4 });
      onTestFinished(() => worker.close());
      await worker.register({ name, version: "1", slots: 8, labels: [], tenant, formats: [1], leaseMs: 60_000, ...more });
      return worker;
    },
  };
}

export const newTask = (key: string, more: Partial<NewTask> = {}): NewTask => ({ key, payload: { format: 1, text: key }, ...more });

export const GOOD: TaskResult = { ok: true, text: "", unknown: 0, worker: "w" };

/** Makes every lease of the tenant look as if it were over. */
export const expireLeases = (db: Pg): Promise<number> =>
  db.run("update sessions set lease_until = now() - interval '1 second' where holder is not null");

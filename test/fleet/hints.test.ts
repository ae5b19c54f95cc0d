import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { runWorker } from "../../src/fleet/run-worker.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { initStore } from "../../src/store/pg/migrate.ts";
import { hasPostgres } from "./database.ts";
import { newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("hints", () => {
  it("come again after the server was away, to a worker that would otherwise look once an hour", async () => {
    const server = await startPostgres({ settings: ["fsync = off"] });
    onTestFinished(() => server.stop());
    const { url } = server;
    await initStore(url);
    const parts = openQueueParts(url, "main");
    const [mine, theirs] = [await openBus({ db: { url } }), await openBus({ db: { url } })];
    const worker = openWorkerQueue({ url });
    const ending = new AbortController();
    const ended = runWorker({
      queue: worker,
      bus: theirs,
      name: "listener",
      version: "1",
      slots: 4,
      leaseMs: 60_000,
      pollMs: 3_600_000,
      signal: ending.signal,
      warn: () => {},
      runTask: async () => ({ end: "done", result: { ok: true, text: "" } }),
    });
    onTestFinished(async () => {
      ending.abort();
      await ended;
      await Promise.all([worker.close(), mine.close(), theirs.close()]);
    });
    const queue = createTaskQueue(parts.db, { bus: mine });
    const counts = async () => (await queue.status()).counts;
    // A hint may be lost while they connect. The next one is not.
    const isOver = async (before: number) => {
      const { done, queued, running } = await counts();
      return done > before && queued + running === 0;
    };
    const hintUntilDone = async (name: string, before: number): Promise<void> => {
      for (let n = 0; !(await isOver(before)); n++) {
        await queue.submit([newTask(`${name}-${n}`)]);
        await wait(200);
      }
    };
    await hintUntilDone("before", 0);
    const done = (await counts()).done;
    await server.crash();
    await wait(500);
    await server.start();
    await queue.submit([newTask("after")]);
    await hintUntilDone("after", done);
    expect((await counts()).done).toBeGreaterThan(done);
  });
});

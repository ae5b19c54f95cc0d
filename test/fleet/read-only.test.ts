import { afterAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { runWorker } from "../../src/fleet/run-worker.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres } from "./database.ts";

describe.skipIf(!hasPostgres)("a server that takes no writes after a failover", async () => {
  const server = hasPostgres ? await startPostgres({ settings: ["fsync = off"] }) : null;
  afterAll(() => server?.stop());

  it("is waited for: the task goes on with its first attempt, and nothing is unknown", async () => {
    const { url } = server!;
    await initStore(url);
    const operator = openPg({ url, bare: true, max: 1 });
    const isReadOnly = async (now: "on" | "off") => {
      await operator.run(`alter system set default_transaction_read_only = ${now}`);
      await operator.run("select pg_reload_conf()");
    };
    const db = openPg({ url, role: "zeph_gateway" });
    const tasks = createTaskQueue(db);
    const [put] = await tasks.submit([{ payload: { format: 1, text: "Do it." } }]);
    const queue = openWorkerQueue({ url });
    const end = new AbortController();
    const warned: string[] = [];
    const answers: boolean[] = [];
    const worker = runWorker({
      queue,
      name: "w",
      version: "1",
      slots: 1,
      leaseMs: 60_000,
      pollMs: 50,
      signal: end.signal,
      warn: (words) => warned.push(words),
      async runTask(_task, { ledger }) {
        await isReadOnly("on");
        await expect.poll(() => refused(queue)).toContain("takes no writes now");
        const asked = ledger.intent("c1", "writes");
        // Asked before these, it was refused before these were.
        for (let n = 0; n < 20; n++) await refused(queue);
        await isReadOnly("off");
        answers.push(await asked, await ledger.done("c1", "well"));
        return { end: "done", result: { ok: true, text: "well" } };
      },
    });
    try {
      await expect.poll(async () => (await tasks.get(put!.id))?.state).toBe("done");
      expect(answers).toEqual([true, true]);
      expect(await tasks.get(put!.id)).toMatchObject({ attempt: 1, result: { ok: true, unknown: 0 } });
    } finally {
      await isReadOnly("off");
      end.abort();
      await worker;
      await Promise.all([queue.close(), db.close(), operator.close()]);
    }
  });
});

/** What a server says that takes no writes. */
const refused = async (queue: ReturnType<typeof openWorkerQueue>): Promise<string> => {
  try {
    await queue.beat([]);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

import { describe, expect, it, onTestFinished } from "vitest";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("a limit of four is never five", async () => {
  const url = hasPostgres ? await makeSchema() : "";

  it.each(["provider", ""])("where tasks become free while somebody waits for the row of another limit: limit %j", async (key) => {
    const [mine, other] = [openQueueParts(url), openQueueParts(url)];
    await other.queue.setLimit("z", 1);
    await other.queue.submit([newTask("z", { limit: "z" })]);
    // Ten sessions are busy, and the next task of each has the limit.
    const busy = await mine.openWorker(`busy-${key}`);
    const session = (n: number) => ({ session: `s${n}` });
    await mine.queue.submit(TEN.map((n) => newTask(`first${n}`, session(n))));
    const first = await busy.take(10, []);
    await mine.queue.setLimit(key, 4);
    await mine.queue.submit(TEN.map((n) => newTask(`t${n}`, { ...session(n), ...(key !== "" && { limit: key }) })));
    const everybodys = await other.openWorker(`all-${key}`, { tenant: null });
    const own = `own-${key}`;
    await mine.openWorker(own);
    const admin = openPg({ url, bare: true, max: 1 });
    const [holder, taker] = [openPg({ url, tenant: other.tenant, max: 1 }), openPg({ url, tenant: mine.tenant, max: 1 })];
    onTestFinished(async () => void (await Promise.all([admin, holder, taker].map((db) => db.close()))));
    const { instance } = (await admin.one("select instance from workers where name = ?", own))!;

    let taking: Promise<readonly unknown[]> = Promise.resolve([]);
    let letGo = () => {};
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let took = 0;
    let others: Promise<void> = Promise.resolve();
    await holder.together(async (held) => {
      await held.one("select 1 from limits where key = 'z' for update");
      // It has looked which limits have tasks that wait, and waits for the row of one of them.
      taking = everybodys.take(100, []);
      await expect.poll(async () => (await admin.all(WAITS)).length).toBeGreaterThan(0);
      for (const task of first) await busy.finish(task, "done", GOOD);
      // Another one takes four, and nobody sees it yet.
      others = taker.together(async (rows) => {
        took = (await rows.all(TAKE, own, instance, mine.tenant)).length;
        await isLetGo;
      });
      await expect.poll(() => took).toBe(4);
    });
    const taken = await taking;
    letGo();
    await others;
    expect(taken).toMatchObject([{ key: "z" }]);
    expect((await mine.queue.status()).counts).toMatchObject({ running: 4, queued: 6 });
  });
});

const TEN = Array.from({ length: 10 }, (_, n) => n);
const TAKE = "select id from take_tasks(?, ?, '1 minute', 4, ?, array[''], array[1], '1', null)";
const WAITS = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%take_tasks%'";

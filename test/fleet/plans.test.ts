import { describe, expect, it } from "vitest";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("plans that the server made while the tables were empty", () => {
  it("still read a few rows when there are thousands", async () => {
    const url = await makeSchema();
    const admin = openPg({ url, bare: true, max: 1 });
    for (const table of ["tasks", "sessions", "calls"]) await admin.run(`alter table ${table} set (autovacuum_enabled = off)`);
    await admin.close();
    const { queue, tenant, openWorker } = openQueueParts(url);
    await openWorker("planner", { tenant: null });
    const worker = openPg({ url, tenant, max: 1 });
    const instance = (await worker.one("select gen_random_uuid() as id"))!.id;
    await worker.run("select register_worker('planner', ?, null, '1', 1, '{}')", instance);
    /** How many rows a statement reads, on one connection, so that its plan is the one that is kept. */
    const reads = new Map<string, number>();
    const ask = (name: string, sql: string, ...values: unknown[]) =>
      worker.together(async (rows) => {
        const count = async () =>
          Number(
            (await rows.one(
              "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables where schemaname = current_schema",
            ))!.rows,
          );
        const before = await count();
        const answer = await rows.all(sql, ...values);
        reads.set(name, Math.max(reads.get(name) ?? 0, (await count()) - before));
        return answer;
      });
    const work = async (rounds: number) => {
      for (let n = 0; n < rounds; n++) {
        const one = (value: unknown) => [value];
        await ask(
          "submit",
          "select * from submit_tasks(100000, ?, ?, '{null}', '{\"\"}', '{\"\"}', '{1}', '{\"{}\"}', '{3}', '{tell}')",
          one(newTenant()),
          one(newTenant()),
        );
        const [task] = await ask("take", "select * from take_tasks('planner', ?, '1 hour', 1, null, '{\"\"}', '{1}', '1', null)", instance);
        const held = [task!.tenant, task!.id, task!.epoch];
        await ask("intent", "select call_intent(?, ?, ?, ? || ' one', 'writes')", ...held, task!.id);
        await ask("fates", "select * from call_fates(?, ?)", task!.session, [`${task!.id} one`]);
        await ask("done", "select call_done(?, ?, ?, ? || ' one', 'ok')", ...held, task!.id);
        await ask(
          "beat",
          "select * from beat_worker('planner', ?, '1 hour', ?, ?, ?)",
          instance,
          one(task!.tenant),
          one(task!.session),
          one(task!.epoch),
        );
        if (n % 2 === 0) await ask("finish", "select finish_task(?, ?, ?, 'done', '{}', null)", ...held);
        else await ask("give back", "select give_back_task(?, ?, ?, false, '0 s', '{}')", ...held);
        await ask("reap", "select * from reap_tasks('{}', extract(epoch from now()) * 1000, interval '1 minute')");
      }
    };
    await work(16);
    reads.clear();
    await queue.setLimit("full", 1);
    await queue.submit(Array.from({ length: 1500 }, (_, n) => newTask(`limited${n}`, { limit: "full" })));
    await queue.submit(Array.from({ length: 1500 }, (_, n) => newTask(`session${n}`, { session: "one" })));
    await queue.submit(Array.from({ length: 1500 }, (_, n) => newTask(`free${n}`)));
    await work(4);
    expect(Object.fromEntries([...reads].filter(([, rows]) => rows > 60))).toEqual({});
    await worker.close();
  });
});

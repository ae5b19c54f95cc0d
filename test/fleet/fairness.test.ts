import { describe, expect, it } from "vitest";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("between tenants", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  const many = (count: number, prefix: string, more = {}) => Array.from({ length: count }, (_, n) => newTask(`${prefix}${n}`, more));
  const open = () => {
    const [a, b] = [openQueueParts(url, newTenant()), openQueueParts(url, newTenant())];
    const share = (taken: readonly { readonly tenant: string }[]) => taken.filter(({ tenant }) => tenant === b.tenant).length;
    const takeAll = async (count: number) => {
      const worker = await a.openWorker(newTenant(), { tenant: null });
      const taken = await worker.take(count, []);
      for (const task of taken) await worker.finish(task, "done", GOOD);
      return taken;
    };
    return { a, b, share, takeAll };
  };

  it("whoever comes late begins at the head of the queue, not at its end", async () => {
    const { a, b, share, takeAll } = open();
    await a.queue.submit(many(60, "a"));
    await takeAll(20);
    await b.queue.submit(many(5, "b"));
    expect(share(await takeAll(12))).toBe(5);
    expect(share(await takeAll(100))).toBe(0);
  });

  it("whoever has worked much before is not made to wait for that", async () => {
    const { a, b, share, takeAll } = open();
    for (let n = 0; n < 3; n++) {
      await b.queue.submit(many(50, `long-ago-${n}-`));
      await takeAll(100);
    }
    await a.queue.submit(many(60, "a"));
    await b.queue.submit(many(5, "b"));
    expect(share(await takeAll(14))).toBe(5);
    await takeAll(100);
  });

  it("a tenant with twice the weight gets two for one", async () => {
    const { a, b, share, takeAll } = open();
    await b.db.run("insert into tenants (tenant, weight) values (?, 2)", b.tenant);
    await a.queue.submit(many(60, "a"));
    await b.queue.submit(many(60, "b"));
    const got = share(await takeAll(30));
    expect(got).toBeGreaterThanOrEqual(19);
    expect(got).toBeLessThanOrEqual(21);
    await takeAll(200);
  });

  it("tasks that nobody may take yet stand in nobody's way", async () => {
    const { a, b, takeAll, share } = open();
    await a.queue.setLimit("full", 1);
    await a.queue.submit([...many(300, "limited", { limit: "full" }), ...many(300, "labelled", { label: "nobody" })]);
    await b.queue.submit(many(10, "b"));
    const taken = await takeAll(20);
    expect([taken.length, share(taken)]).toEqual([11, 10]);
  });

  it("the same file again costs no place in the order", async () => {
    const { a, b, share, takeAll } = open();
    await takeAll(1000);
    await a.queue.submit(many(30, "a"));
    for (let n = 0; n < 20; n++) await b.queue.submit(many(5, "b"));
    await b.queue.submit(many(10, "b"));
    expect(share(await takeAll(22))).toBe(10);
  });
});

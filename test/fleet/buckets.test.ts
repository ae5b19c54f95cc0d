import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuckets } from "../../src/fleet/govern/buckets.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("a bucket of what a minute allows", () => {
  let url = "";
  const open: Pg[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(() => Promise.all(open.map((db) => db.close())));
  const fleet = () => {
    const db = openPg({ url, tenant: newTenant(), max: 8 });
    open.push(db);
    return { db, buckets: createBuckets(db) };
  };

  it("hands out what it holds, once, however many ask", async () => {
    const { buckets } = fleet();
    await buckets.set("model", 60);
    const takes = await Promise.all(Array.from({ length: 12 }, () => buckets.take("model", 10)));
    const got = takes.reduce((sum, one) => sum + one.got, 0);
    // One a second comes anew while they ask.
    expect(got).toBeGreaterThanOrEqual(60);
    expect(got).toBeLessThan(80);
    const none = takes.find((one) => one.got === 0);
    expect(none?.waitMs).toBeGreaterThan(0);
    expect(none?.waitMs).toBeLessThanOrEqual(1000);
  });

  it("fills again with time, and never beyond", async () => {
    const { db, buckets } = fleet();
    await buckets.set("model", 60);
    expect((await buckets.take("model", 60)).got).toBe(60);
    await db.run("update buckets set filled_at = filled_at - interval '30 seconds'");
    const { got } = await buckets.take("model", 60);
    expect(got).toBeGreaterThanOrEqual(30);
    expect(got).toBeLessThan(45);
    await db.run("update buckets set filled_at = filled_at - interval '1 day'");
    expect((await buckets.take("model", 1000)).got).toBe(60);
  });

  it("hands out nothing while it is held, and a longer hold stays", async () => {
    const { buckets } = fleet();
    await buckets.set("model", 60);
    await buckets.hold("model", 60_000);
    await buckets.hold("model", 10);
    const { got, waitMs } = await buckets.take("model", 1);
    expect(got).toBe(0);
    expect(waitMs).toBeGreaterThan(30_000);
  });

  it("that nobody made has no limit, and each tenant has its own", async () => {
    const { buckets } = fleet();
    await buckets.set("model", 1);
    expect(await fleet().buckets.take("model", 500)).toEqual({ got: 500, waitMs: 0 });
  });
});

import { describe, expect, it } from "vitest";
import { initStore, migrateStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { SCHEMA_STEPS } from "../../src/store/pg/schema/steps.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

describe.skipIf(!hasPostgres)("the schema on PostgreSQL", () => {
  it("is made once, and again changes nothing", async () => {
    const url = await makeSchema();
    expect(await initStore(url)).toEqual({ from: SCHEMA_STEPS.length, to: SCHEMA_STEPS.length });
    expect(await migrateStore(url)).toEqual({ from: SCHEMA_STEPS.length, to: SCHEMA_STEPS.length });
  });

  it("is asked for in words where it is missing", async () => {
    const url = (await makeSchema()).replace(/schema=\w+/, "schema=nobody_made");
    const db = openPg({ url, tenant: newTenant() });
    await expect(db.one("select 1 as one")).rejects.toThrow("has no tables of Zeph yet. Run: zeph store init");
    await db.close();
  });
});

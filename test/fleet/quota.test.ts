import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPersonQuotas } from "../../src/fleet/govern/person-quota.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const run = promisify(execFile);

describe.skipIf(!hasPostgres)("the quota of a person", () => {
  let url = "";
  const open: Pg[] = [];
  beforeAll(async () => {
    url = await makeSchema();
  });
  afterAll(() => Promise.all(open.map((db) => db.close())));
  const connect = (tenant: string) => {
    const db = openPg({ url, tenant, max: 3 });
    open.push(db);
    return db;
  };
  const usedBy = async (db: Pg, person = "ann") => (await db.one("select used from quotas where person = ?", person))?.used ?? 0;
  const limits = (calls_per_day: number, people = {}) => ({ calls_per_day, people });

  it("is exact: of 1,400 calls at once over several processes, 1,000 are allowed", async () => {
    // Below the project, where its packages are found.
    const cache = join(import.meta.dirname, "../../node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "zeph-quota-"));
    try {
      const program = join(folder, "quota.mjs");
      const entryPoints = [join(import.meta.dirname, "quota-process.ts")];
      await build({
        entryPoints,
        outfile: program,
        bundle: true,
        format: "esm",
        platform: "node",
        packages: "external",
        logLevel: "error",
      });
      const tenant = newTenant();
      const ends = await Promise.all(Array.from({ length: 5 }, () => run(process.execPath, [program, url, tenant, "280", "1000"])));
      expect(ends.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(1000);
      expect(await usedBy(connect(tenant))).toBe(1000);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is taken in blocks of 20 by a process, and what is left is given back with the last session", async () => {
    const db = connect(newTenant());
    const quotas = openPersonQuotas(db);
    const [one, two] = [quotas.open(() => "ann"), quotas.open(() => "ann")];
    for (const id of ["a", "b", "c"]) {
      await one.reserve(id, limits(1000));
      expect(one.refusal(id)).toBeNull();
      one.count(id);
      one.release(id);
    }
    await two.reserve("d", limits(1000));
    two.count("d");
    expect(await usedBy(db)).toBe(20);
    await one.close();
    expect(await usedBy(db)).toBe(20);
    await two.close();
    expect(await usedBy(db)).toBe(4);
  });

  it("does not count what was refused by others, and a repaired call once", async () => {
    const db = connect(newTenant());
    const session = openPersonQuotas(db).open(() => "ann");
    await session.reserve("refused", limits(2));
    session.release("refused");
    for (const id of ["a", "a", "a"]) {
      await session.reserve(id, limits(2));
      session.count(id);
      session.release(id);
    }
    await session.reserve("b", limits(2));
    expect(session.refusal("b")).toBeNull();
    session.count("b");
    await session.reserve("c", limits(2));
    expect(session.refusal("c")).toEqual({
      rule: "fleet.quota.calls_per_day = 2",
      why: "quota_blocked: all 2 calls of ann for this day (UTC) are used.",
    });
    session.release("c");
    expect(session.refusal("c")).toBeNull();
    await session.close();
    expect(await usedBy(db)).toBe(2);
  });

  it("is each person's own, and a person may have a number of their own", async () => {
    const db = connect(newTenant());
    let person = "ann";
    const session = openPersonQuotas(db).open(() => person);
    await session.reserve("a", limits(1));
    session.count("a");
    person = "bob";
    await session.reserve("b", limits(0, { bob: 1 }));
    expect(session.refusal("b")).toBeNull();
    session.count("b");
    await session.reserve("c", limits(0, { bob: 1 }));
    expect(session.refusal("c")).toMatchObject({ rule: "fleet.quota.people.bob = 1" });
    person = "toString";
    await session.reserve("d", limits(0));
    expect(session.refusal("d")).toMatchObject({ why: "quota_blocked: no calls are allowed to toString." });
    person = "cem";
    await session.reserve("e", { people: {} });
    expect(session.refusal("e")).toBeNull();
    expect(await usedBy(db, "cem")).toBe(0);
  });

  it("begins anew with another day, whose blocks are not given to it", async () => {
    const db = connect(newTenant());
    const owner = openPg({ url, tenant: db.tenant, role: "zeph_owner", max: 1 });
    open.push(owner);
    const session = openPersonQuotas(db).open(() => "ann");
    await session.reserve("a", limits(1));
    session.count("a");
    await owner.run("update quotas set period = '2000-01-01' where tenant = ?", db.tenant);
    await session.reserve("b", limits(1));
    expect(session.refusal("b")).toBeNull();
    const rows = await db.all("select period, used from quotas order by period");
    expect(rows).toEqual([
      { period: "2000-01-01", used: 1 },
      { period: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), used: 1 },
    ]);
  });

  it("that nobody can tell refuses the call, with words", async () => {
    const away = openPg({ url: url.replace(/:\d+\//, ":9/"), max: 1 });
    const session = openPersonQuotas(away).open(() => "ann");
    await session.reserve("a", limits(5));
    expect(session.refusal("a")?.why).toMatch(/^quota_blocked: nobody can tell how many calls ann has left \(.*cannot be reached/);
    await session.close();
    await away.close();
  });
});

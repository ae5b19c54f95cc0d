import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { findPostgres } from "../../scripts/fleet-servers.mjs";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const script = join(import.meta.dirname, "../../deploy/postgres/logins.sql");

describe.skipIf(!hasPostgres)("the users that deploy/postgres/logins.sql makes", () => {
  const logins = (password: string) =>
    spawnSync(
      `${findPostgres()}/psql`,
      [inject("postgres"), `--set=worker_password=w-${password}`, `--set=gateway_password=g-${password}`, `--file=${script}`],
      { encoding: "utf8" },
    );
  const as = (url: string, user: string, password: string): string => {
    const place = new URL(url);
    place.username = user;
    place.password = password;
    return place.href;
  };

  afterAll(async () => {
    const db = openPg({ url: inject("postgres"), bare: true, max: 1 });
    for (const user of ["worker", "gateway"]) await db.run(`drop role if exists ${user}`);
    await db.close();
  });

  it("act as their role and as no other, and get new passwords when it is run again", async () => {
    const url = await makeSchema();
    expect(logins("one")).toMatchObject({ status: 0 });
    expect(logins("it's another")).toMatchObject({ status: 0 });
    const tenant = newTenant();
    const worker = openPg({ url: as(url, "worker", "w-it's another"), tenant });
    const gateway = openPg({ url: as(url, "gateway", "g-it's another"), tenant, role: "zeph_gateway" });
    const climber = openPg({ url: as(url, "worker", "w-it's another"), tenant, role: "zeph_gateway" });
    const late = openPg({ url: as(url, "worker", "w-one"), tenant });
    try {
      expect(await worker.one("select current_user as name")).toEqual({ name: "zeph_worker" });
      expect(await gateway.one("select current_user as name")).toEqual({ name: "zeph_gateway" });
      await expect(climber.one("select 1 as one")).rejects.toThrow(/a user who may act as/);
      await expect(late.one("select 1 as one")).rejects.toThrow(/password/);
    } finally {
      await Promise.all([worker, gateway, climber, late].map((db) => db.close()));
    }
  });
});

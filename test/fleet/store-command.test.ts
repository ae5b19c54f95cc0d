import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { migrateStore } from "../../src/store/pg/migrate.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { SCHEMA_STEPS } from "../../src/store/pg/schema/steps.ts";
import { box } from "../e2e/zeph.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const VERSION = SCHEMA_STEPS.length;

describe.skipIf(!hasPostgres)("zeph store", () => {
  let server: Pg;
  const users: string[] = [];
  beforeAll(() => {
    server = openPg({ url: inject("postgres"), bare: true });
  });
  afterAll(async () => {
    for (const user of users) await server.run(`drop role ${user}`);
    await server.close();
  });

  /** The address for a user of its own, who has these roles. */
  const asUser = async (url: string, ...roles: readonly string[]): Promise<string> => {
    const name = `u_${randomBytes(6).toString("hex")}`;
    await server.run(`create role ${name} login password 'secret-of-${name}'`);
    users.push(name);
    for (const role of roles) await server.run(`grant ${role} to ${name}`);
    return Object.assign(new URL(url), { username: name, password: `secret-of-${name}` }).href;
  };
  const freshUrl = () => {
    const name = `t_${randomBytes(6).toString("hex")}`;
    dropLater.push(name);
    return `${inject("postgres")}?schema=${name}`;
  };
  const dropLater: string[] = [];
  afterAll(async () => {
    const admin = openPg({ url: inject("postgres"), bare: true });
    for (const name of dropLater) await admin.run(`drop schema if exists ${name} cascade`);
    await admin.close();
  });

  describe("init and migrate", () => {
    it("make the tables once, and say what each role may do", async () => {
      const url = freshUrl();
      const first = await box().run(["store", "init", url]);
      expect(first).toMatchObject({ code: 0, stderr: "" });
      expect(first.stdout).toContain(`the tables of schema ${VERSION} were made.`);
      for (const role of ["zeph_owner", "zeph_worker", "zeph_gateway"]) expect(first.stdout).toMatch(new RegExp(`^ {2}${role} +\\w`, "m"));
      expect(first.stdout).not.toContain(new URL(url).password);
      const again = await box().run(["store", "init", url, "--json"]);
      expect(JSON.parse(again.stdout)).toMatchObject({ from: VERSION, to: VERSION, roles: { zeph_owner: expect.any(String) } });
      expect((await box().run(["store", "migrate", url])).stdout).toContain("nothing was changed");
    });

    it("wait for each other: of two at once one makes the tables", async () => {
      const url = freshUrl();
      await server.run(`create schema ${new URL(url).searchParams.get("schema")} authorization zeph_owner`);
      const changes = await Promise.all([migrateStore(url), migrateStore(url), migrateStore(url)]);
      expect(changes.map(({ from }) => from).sort()).toEqual([0, VERSION, VERSION]);
    });

    it("leave tables of a newer Zeph alone", async () => {
      const url = await makeSchema();
      await change(url, `update zeph_schema set version = ${VERSION + 1}`);
      expect(await box().run(["store", "migrate", url])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was changed by a newer Zeph"),
      });
      // A program goes on with them for as long as they say that it may.
      expect(await checked(url)).toMatchObject({
        ok: true,
        findings: { schema: { text: expect.stringContaining("newer than this Zeph's") } },
      });
      await change(url, `update zeph_schema set compatible_from = ${VERSION + 1}`);
      expect(await checked(url)).toMatchObject({ code: 5, findings: { schema: { state: "fail", todo: "Update Zeph." } } });
    });

    it("are refused to whoever may not act as the owner, in words", async () => {
      const url = await asUser(await makeSchema(), "zeph_worker");
      const { code, stderr } = await box().run(["store", "migrate", url]);
      expect(code).toBe(2);
      expect(stderr).toContain("needs a user who may act as zeph_owner");
    });
  });

  const change = async (url: string, sql: string) => {
    const db = openPg({ url, bare: true, max: 1 });
    await db.run(sql);
    await db.close();
  };
  const checked = async (url: string) => {
    const { code, stdout } = await box().run(["store", "check", url, "--json"]);
    const { ok, findings, store } = JSON.parse(stdout);
    expect(stdout).not.toContain(new URL(url).password);
    return { code, ok, store, findings: Object.fromEntries(findings.map(({ about, ...rest }: any) => [about, rest])) };
  };

  describe("check", () => {
    it("finds everything right for a user of programs, and warns of one who may do more", async () => {
      const url = await makeSchema();
      const right = await checked(await asUser(url, "zeph_worker"));
      expect(right).toMatchObject({ code: 0, ok: true });
      expect(Object.values<any>(right.findings).map(({ state }) => state)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
      expect(right.findings.rows.text).toContain("tried on every table");
      expect(await checked(await asUser(url, "zeph_gateway"))).toMatchObject({ code: 0, ok: true });
      const mighty = await checked(url);
      expect(mighty).toMatchObject({ code: 0, ok: true, findings: { user: { state: "warn" } } });
      const text = await box().run(["store", "check", url]);
      expect(text.stdout).toMatch(/^postgres:.*\nok {3}server {4}PostgreSQL \d/);
    });

    it.each([
      ["row security is off", "alter table goals disable row level security", "tables", "no row security on goals"],
      ["row security is not forced", "alter table said no force row level security", "tables", "no row security on said"],
      ["a policy is missing", "drop policy of_tenant on memories", "tables", "no row security on memories"],
      [
        "the tables are older",
        `update zeph_schema set version = 1, compatible_from = 1`,
        "schema",
        `version 1, and this Zeph needs ${VERSION}`,
      ],
    ])("exits 5 when %s", async (_what, sql, about, text) => {
      const url = await makeSchema();
      await change(url, sql);
      expect(await checked(url)).toMatchObject({
        code: 5,
        ok: false,
        findings: { [about]: { state: "fail", text: expect.stringContaining(text) } },
      });
    });

    it("exits 5 when a tenant sees rows of another, whatever the catalogue says", async () => {
      const url = await makeSchema();
      await change(url, "create policy open_to_all on reputation using (true)");
      await change(url, `insert into reputation (tenant, model, good, bad) values ('${newTenant()}', 'm', 1, 1)`);
      expect(await checked(await asUser(url, "zeph_worker"))).toMatchObject({
        code: 5,
        findings: { tables: { state: "ok" }, rows: { state: "fail", text: "a tenant sees rows of others in reputation" } },
      });
    });

    it("exits 5 when nobody is there, or nothing, or a user may do nothing", async () => {
      const url = await makeSchema();
      const away = Object.assign(new URL(url), { port: "1" }).href;
      expect(await checked(away)).toMatchObject({
        code: 5,
        findings: { server: { state: "fail", text: expect.stringContaining("cannot be reached") } },
      });
      const none = url.replace(/schema=\w+/, "schema=nobody_made");
      expect(await checked(none)).toMatchObject({
        code: 5,
        findings: { schema: { state: "fail", todo: expect.stringContaining("zeph store init") } },
      });
      expect(await checked(await asUser(url))).toMatchObject({
        code: 5,
        findings: { roles: { state: "fail", text: expect.stringContaining("may act as none") } },
      });
    });
  });

  it("zeph doctor names it, and tries it only online", async () => {
    const url = await makeSchema();
    const here = box();
    const doctor = async (...more: readonly string[]) => {
      const { stdout } = await here.run(["doctor", "--json", "--set", `store.url=${url}`, ...more]);
      return JSON.parse(stdout).findings.find(({ about }: { about: string }) => about === "shared");
    };
    expect(await doctor()).toMatchObject({ state: "ok", text: expect.stringContaining("not tried") });
    expect(await doctor("--online")).toMatchObject({ state: "ok", text: expect.stringContaining("tried on every table") });
    await change(url, "drop table zeph_schema");
    expect(await doctor("--online")).toMatchObject({ state: "fail", todo: expect.stringContaining("zeph store init") });
  });

  it.each([
    [["store"], "Say what to do"],
    [["store", "chek", "postgres://x/y"], 'Did you mean "check"?'],
    [["store", "check"], "Name the database that the fleet shares"],
    [["store", "check", "/tmp/zeph.db"], "named by its address: postgres://user@host/database"],
    [["store", "check", "postgres://a/b", "postgres://c/d"], "takes one address"],
    [["store", "copy", "postgres://a/b"], "Say which SQLite file is copied"],
  ])("exits 2 for wrong usage: %j", async (args, message) => {
    const { code, stdout, stderr } = await box().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

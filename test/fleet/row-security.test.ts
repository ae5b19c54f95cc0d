import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPg, type Pg, type PgRole } from "../../src/store/pg/pg.ts";
import { SHARED_TABLES } from "../../src/store/pg/schema/steps.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { openQueueParts } from "./queue-parts.ts";

const ROLES: readonly PgRole[] = ["zeph_worker", "zeph_gateway"];

/** Who may call what. Whatever is not in a row is refused to that role. */
const FUNCTIONS: Readonly<Record<string, readonly PgRole[]>> = {
  submit_tasks: ROLES,
  cancel_tasks: ROLES,
  promote_sessions: ROLES,
  queue_head: ROLES,
  list_workers: ROLES,
  queue_depths: ROLES,
  drain_worker: ["zeph_gateway"],
  register_worker: ["zeph_worker"],
  set_worker_state: ["zeph_worker"],
  beat_worker: ["zeph_worker"],
  take_tasks: ["zeph_worker"],
  reap_tasks: ["zeph_worker"],
  call_intent: ["zeph_worker"],
  call_done: ["zeph_worker"],
  finish_task: ["zeph_worker"],
  give_back_task: ["zeph_worker"],
  read_journal: ["zeph_worker"],
  call_fates: ["zeph_worker"],
  waiting_tenants: ["zeph_worker"],
  postpone_limit: ["zeph_worker"],
  settle_calls: [],
  release_task: [],
  next_epoch: [],
  is_waiting: [],
  beat_news: [],
};

describe.skipIf(!hasPostgres)("row security", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  let admin: Pg;
  let tables: readonly string[] = [];
  beforeAll(async () => {
    admin = openPg({ url, bare: true, max: 1 });
    const rows = await admin.all(
      "select c.relname as name from pg_class c where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p') order by 1",
    );
    tables = rows.map(({ name }) => name).filter((name) => !SHARED_TABLES.includes(name));
  });
  afterAll(() => admin?.close());

  it("stands on every table that is not on the list of shared ones, for its owner too", async () => {
    expect(tables).toEqual(expect.arrayContaining(["tenants", "workers", "sessions", "tasks", "calls", "limits", "batches"]));
    const open = await admin.all(
      `select relname as name from pg_class where relnamespace = current_schema::regnamespace and relname = any (?) and not relrowsecurity`,
      tables,
    );
    expect(open).toEqual([]);
  });

  it.each(ROLES)("shows %s no row of a tenant that it did not name, in any table, and lets it give none away", async (role) => {
    const planted = await plantRows(tables);
    const [owner, stranger] = [
      openPg({ url: planted, tenant: PLANTED, role, max: 1 }),
      openPg({ url: planted, tenant: newTenant(), role, max: 1 }),
    ];
    for (const table of tables) {
      const may = async (what: string) => (await owner.one(`select has_table_privilege('${table}', '${what}') as may`))!.may;
      if (!(await may("select"))) continue;
      const none = await stranger.together(async (rows) => {
        await rows.run("select set_config('zeph.tenant', '', true)");
        return Number((await rows.one(`select count(*) as count from ${table}`))!.count);
      });
      expect([table, await count(owner, table), await count(stranger, table), none]).toEqual([table, 1, 0, 0]);
      if (await may("update")) await expect(owner.run(`update ${table} set tenant = 'other'`)).rejects.toThrow("row-level security");
      if (await may("delete")) expect([table, await stranger.run(`delete from ${table}`)]).toEqual([table, 0]);
    }
    await Promise.all([owner.close(), stranger.close()]);
  });

  it.each(ROLES)("lets %s put in and change no row of another tenant", async (role) => {
    const parts = openQueueParts(url);
    const id = await parts.submitOne("a");
    const stranger = openPg({ url, tenant: newTenant(), role, max: 1 });
    await expect(stranger.run("insert into sessions (tenant, id) values (?, 'x')", parts.tenant)).rejects.toThrow("row-level security");
    await expect(stranger.run("insert into limits (tenant, key) values (?, 'x')", parts.tenant)).rejects.toThrow("row-level security");
    await expect(stranger.run("insert into tenants (tenant) values (?)", newTenant())).rejects.toThrow("row-level security");
    expect(await stranger.run("update tasks set state = 'done' where id = ?", id)).toBe(0);
    expect(await stranger.run("delete from sessions")).toBe(0);
    await expect(stranger.run("insert into batches (tenant, name) values ('*', 'x')")).rejects.toThrow("row-level security");
    expect((await parts.queue.get(id))?.state).toBe("queued");
    await stranger.close();
  });

  it("a tenant that is named for one transaction is forgotten after it", async () => {
    const parts = openQueueParts(url);
    await parts.submitOne("a");
    const other = openPg({ url, tenant: newTenant(), max: 1 });
    const within = await other.together(async (rows) => {
      await rows.run("select set_config('zeph.tenant', ?, true)", parts.tenant);
      return (await rows.one("select count(*) as count from tasks"))!.count;
    });
    expect([within, await count(other, "tasks")]).toEqual([1, 0]);
    await other.close();
  });

  it("functions of the queue are called by those who need them and by nobody else", async () => {
    const rows = await admin.all(
      `select p.proname as name, r.role, has_function_privilege(r.role, p.oid, 'execute') as may
       from pg_proc p cross join unnest(array['zeph_worker', 'zeph_gateway']) as r (role)
       where p.pronamespace = current_schema::regnamespace and p.proname = any (?)`,
      Object.keys(FUNCTIONS),
    );
    const found = Object.fromEntries(
      Object.keys(FUNCTIONS).map((name) => [
        name,
        ROLES.filter((role) => rows.some((row) => row.name === name && row.role === role && row.may)),
      ]),
    );
    expect(found).toEqual(FUNCTIONS);
    const anybodys = await admin.all(
      `select p.proname as name from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
       where p.pronamespace = current_schema::regnamespace and a.grantee = 0`,
    );
    expect(anybodys).toEqual([]);
    const loose = await admin.all(
      `select p.proname as name from pg_proc p where p.pronamespace = current_schema::regnamespace and p.prosecdef
         and (p.proowner::regrole::text <> 'zeph_owner' or not exists (select 1 from unnest(p.proconfig) c where c like 'search_path=%pg_temp'))`,
    );
    expect(loose).toEqual([]);
  });

  it("a temporary table does not stand in for one that a function of the owner reads", async () => {
    const parts = openQueueParts(url);
    await parts.submitOne("a");
    const worker = openPg({ url, tenant: parts.tenant, max: 1 });
    await worker.run("create temporary table tasks (like tasks)");
    await worker.run("create temporary table workers (name text, instance uuid, state text)");
    const depths = await worker.all("select * from queue_depths()");
    expect(depths.find(({ tenant }) => tenant === parts.tenant)?.queued).toBe(1);
    await worker.close();
  });
});

const PLANTED = "planted";
const VALUES: Readonly<Record<string, string>> = {
  text: "'x'",
  boolean: "true",
  uuid: "gen_random_uuid()",
  jsonb: "'{}'",
  bytea: "''",
  "timestamp with time zone": "now()",
  "text[]": "'{}'",
  tsvector: "''",
};

/** A schema in which each table has one row of a tenant, whatever its rules say of such a row. */
async function plantRows(tables: readonly string[]): Promise<string> {
  const url = await makeSchema();
  const db = openPg({ url, bare: true, max: 1 });
  const rules = await db.all(
    `select conrelid::regclass::text as name, quote_ident(conname) as rule from pg_constraint
     where connamespace = current_schema::regnamespace and contype in ('c', 'f') and conrelid <> 0 order by contype desc`,
  );
  for (const { name, rule } of rules) await db.run(`alter table ${name} drop constraint ${rule}`);
  for (const table of tables) {
    const columns = await db.all(
      `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = ?::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = '' and attname <> 'tenant'`,
      table,
    );
    const values = columns.map(({ type }) => VALUES[type] ?? "1");
    await db.run(
      `insert into ${table} (${["tenant", ...columns.map(({ name }) => name)].join(", ")}) values (${[`'${PLANTED}'`, ...values].join(", ")})`,
    );
  }
  await db.close();
  return url;
}

const count = async (db: Pg, table: string): Promise<number> => (await db.one(`select count(*) as count from ${table}`))!.count;

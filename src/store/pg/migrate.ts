import { StoreError } from "../sqlite/error.ts";
import { openPg, type PgRole, type Rows } from "./pg.ts";
import { readStoreUrl, type StorePlace } from "./place.ts";
import { SCHEMA_STEPS, SHARED_TABLES, TABLE_RIGHTS } from "./schema/steps.ts";

/** What each role may do; `zeph store init` prints it. None can log in: the operator's users are made members of them. */
export const ROLES: Readonly<Record<PgRole, string>> = {
  zeph_owner: "owns the tables and the functions that see all tenants; `zeph store migrate` acts as it, nothing else",
  zeph_worker: "workers, and programs that use the store alone: reads and writes the rows of one tenant, takes tasks of all",
  zeph_gateway: "gateways: the same for the tenant of the person who asks; approvals, policy and tokens",
};

export interface SchemaChange {
  readonly from: number;
  readonly to: number;
}

/** Makes the roles, the schema and its tables. `url` names a user who may make roles, or one who is a member of all three. */
export async function initStore(url: string): Promise<SchemaChange> {
  const place = readStoreUrl(url);
  const db = openPg({ url, bare: true, max: 1 });
  try {
    await db.together(async (rows) => {
      // Roles belong to the server, whatever the schema.
      await rows.all("select pg_advisory_xact_lock(1516597352)");
      for (const role of Object.keys(ROLES)) await makeRole(rows, role);
      await rows.run(`create schema if not exists ${place.schema} authorization zeph_owner`);
    });
    return await migrateOn(db, place);
  } finally {
    await db.close();
  }
}

/** Brings the tables up to date, in one transaction and by one process at a time. */
export async function migrateStore(url: string): Promise<SchemaChange> {
  const place = readStoreUrl(url);
  const db = openPg({ url, bare: true, max: 1 });
  try {
    return await migrateOn(db, place);
  } finally {
    await db.close();
  }
}

const migrateOn = (db: ReturnType<typeof openPg>, place: StorePlace): Promise<SchemaChange> =>
  db.together(async (rows) => {
    await rows.all("select pg_advisory_xact_lock(hashtextextended(?, 1516597352))", place.schema);
    await rows.run("set local role zeph_owner");
    // Functions keep this path. Tables that a connection makes for itself come last in it, so none can stand in for one of ours.
    await rows.run(`set local search_path = ${place.schema}, pg_temp`);
    await rows.run("create table if not exists zeph_schema (version integer not null, compatible_from integer not null)");
    const found = await rows.one("select version from zeph_schema");
    const from: number = found?.version ?? 0;
    if (from > SCHEMA_STEPS.length)
      throw new StoreError(
        place.shown,
        `${place.shown} was changed by a newer Zeph (schema ${from}, this one knows ${SCHEMA_STEPS.length}). Nothing was done.`,
      );
    for (const { sql } of SCHEMA_STEPS.slice(from)) for (const statement of statementsOf(sql)) await rows.run(statement);
    const compatibleFrom = SCHEMA_STEPS.map((step) => step.compatibleFrom ?? 1).reduce((most, one) => Math.max(most, one), 1);
    await rows.run("delete from zeph_schema");
    await rows.run("insert into zeph_schema values (?, ?)", SCHEMA_STEPS.length, compatibleFrom);
    await secureTables(rows, place);
    return { from, to: SCHEMA_STEPS.length };
  });

/** Statements of a step are divided by a line that holds only a semicolon's end: bodies of functions hold semicolons of their own. */
const statementsOf = (sql: string): readonly string[] =>
  sql
    .split(/;[ \t]*\n(?=\S)|;\s*$/)
    .map((one) => one.trim())
    .filter((one) => one !== "");

async function makeRole(rows: Rows, role: string): Promise<void> {
  if (await rows.one("select 1 from pg_roles where rolname = ?", role)) return;
  await rows.run(`create role ${role} nologin`);
  await rows.run(`grant ${role} to current_user`);
}

/** Row security on every table, forced for the owner too. Whatever runs as the owner sees all tenants: migrations, and functions that are `security definer`, which filter by themselves. */
async function secureTables(rows: Rows, { schema }: StorePlace): Promise<void> {
  const tables = await rows.all<{ name: string; has_tenant: boolean }>(
    `select c.relname as name, exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped) as has_tenant
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ? and c.relkind in ('r', 'p') order by 1`,
    schema,
  );
  await rows.run(`grant usage on schema ${schema} to zeph_worker, zeph_gateway`);
  for (const { name, has_tenant: hasTenant } of tables) {
    if (!hasTenant) {
      if (!SHARED_TABLES.includes(name))
        throw new Error(`The table ${name} has no column "tenant", and is not on the list of shared tables.`);
      continue;
    }
    await rows.run(`alter table ${name} enable row level security`);
    await rows.run(`alter table ${name} force row level security`);
    await rows.run(`drop policy if exists of_tenant on ${name}`);
    await rows.run(
      `create policy of_tenant on ${name} using (tenant = current_setting('zeph.tenant', true)) with check (tenant = current_setting('zeph.tenant', true))`,
    );
    await rows.run(`drop policy if exists of_all on ${name}`);
    await rows.run(`create policy of_all on ${name} to zeph_owner using (true) with check (true)`);
    await rows.run(`grant select, insert, update, delete on ${name} to zeph_worker, zeph_gateway`);
  }
  await rows.run(`grant select on zeph_schema to zeph_worker, zeph_gateway`);
  await rows.run(`grant usage on all sequences in schema ${schema} to zeph_worker, zeph_gateway`);
  for (const right of TABLE_RIGHTS) await rows.run(right);
}

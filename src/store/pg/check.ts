import { StoreError } from "../sqlite/error.ts";
import { ROLES } from "./migrate.ts";
import { openPg, type Pg, type Rows } from "./pg.ts";
import { readStoreUrl } from "./place.ts";
import { SCHEMA_STEPS, SHARED_TABLES } from "./schema/steps.ts";

/** One thing that was looked at. */
export interface StoreFinding {
  readonly about: "server" | "user" | "roles" | "schema" | "tables" | "rows";
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly todo?: string;
}
export interface StoreCheck {
  /** Without the password. */
  readonly store: string;
  readonly ok: boolean;
  readonly findings: readonly StoreFinding[];
}

const OLDEST_SERVER = 15;
/** No tenant is called so: whoever acts for it must see nothing. */
const NOBODY = "0.nobody.0";

/** Looks at everything a shared store needs, and really tries whether one tenant sees another's rows. Changes nothing. */
export async function checkStore(url: string): Promise<StoreCheck> {
  const { shown } = readStoreUrl(url);
  const findings: StoreFinding[] = [];
  const bare = openPg({ url, bare: true, max: 1, tenant: NOBODY });
  try {
    for (const look of [lookAtServer, lookAtRoles, lookAtSchema, lookAtTables]) {
      const found = await look(bare, shown);
      findings.push(...found);
      if (found.some(({ state }) => state === "fail")) break;
    }
    if (findings.every(({ state }) => state !== "fail")) findings.push(await tryRowSecurity(url));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    findings.push(fail("server", error.message));
  } finally {
    await bare.close();
  }
  return { store: shown, ok: findings.every(({ state }) => state !== "fail"), findings };
}

const ok = (about: StoreFinding["about"], text: string): StoreFinding => ({ about, state: "ok", text });
const fail = (about: StoreFinding["about"], text: string, todo?: string): StoreFinding => ({
  about,
  state: "fail",
  text,
  ...(todo !== undefined && { todo }),
});

async function lookAtServer(db: Rows): Promise<readonly StoreFinding[]> {
  const { number, name } = (await db.one<{ number: number; name: string }>(
    "select current_setting('server_version_num')::integer as number, current_setting('server_version') as name",
  ))!;
  if (number < OLDEST_SERVER * 10_000)
    return [fail("server", `PostgreSQL ${name} is too old`, `Zeph needs PostgreSQL ${OLDEST_SERVER} or newer.`)];
  return [ok("server", `PostgreSQL ${name}`)];
}

async function lookAtRoles(db: Rows, shown: string): Promise<readonly StoreFinding[]> {
  const roles = await db.all<{ name: string; may: boolean }>(
    "select rolname as name, pg_has_role(current_user, oid, 'member') as may from pg_roles where rolname = any(?::text[]) order by 1",
    Object.keys(ROLES),
  );
  const user = (await db.one<{ name: string; all: boolean }>(
    "select current_user as name, rolsuper or rolbypassrls as all from pg_roles where rolname = current_user",
  ))!;
  const missing = Object.keys(ROLES).filter((role) => !roles.some(({ name }) => name === role));
  if (missing.length > 0) return [fail("roles", `${missing.join(", ")}: not there`, `Run as an administrator: zeph store init ${shown}`)];
  const may = roles.filter((role) => role.may).map(({ name }) => name);
  if (!may.includes("zeph_worker") && !may.includes("zeph_gateway"))
    return [fail("roles", `${user.name} may act as none of them`, `Run as an administrator: grant zeph_worker to "${user.name}"`)];
  const isMighty = user.all || may.includes("zeph_owner");
  return [
    ok("roles", `${roles.map(({ name }) => name).join(", ")}`),
    isMighty
      ? {
          about: "user",
          state: "warn",
          text: `${user.name} may act as ${may.join(", ")}${user.all ? ", and row security does not hold for it" : ""}`,
          todo: "Good for zeph store init and migrate. For programs make a user who may act as zeph_worker or zeph_gateway alone.",
        }
      : ok("user", `${user.name} may act as ${may.join(", ")}`),
  ];
}

async function lookAtSchema(db: Rows, shown: string): Promise<readonly StoreFinding[]> {
  const needed = SCHEMA_STEPS.length;
  const there = (await db.one<{ there: boolean }>("select to_regclass('zeph_schema') is not null as there"))!.there;
  const found = there ? await db.one<{ version: number; compatible_from: number }>("select * from zeph_schema") : undefined;
  if (!found) return [fail("schema", "no tables of Zeph yet", `Run: zeph store init ${shown}`)];
  const { version, compatible_from: from } = found;
  if (version < needed) return [fail("schema", `version ${version}, and this Zeph needs ${needed}`, `Run: zeph store migrate ${shown}`)];
  if (from > needed)
    return [fail("schema", `version ${version}, for Zephs that know ${from} at least; this one knows ${needed}`, "Update Zeph.")];
  return [
    ok("schema", version === needed ? `version ${version}` : `version ${version}, newer than this Zeph's ${needed}, which may go on`),
  ];
}

async function lookAtTables(db: Rows, shown: string): Promise<readonly StoreFinding[]> {
  const tables = await db.all<{ name: string; is_secured: boolean }>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity
       and exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'of_tenant') as is_secured
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  const open = tables.filter(({ name, is_secured }) => !is_secured && !SHARED_TABLES.includes(name)).map(({ name }) => name);
  if (open.length > 0)
    return [fail("tables", `no row security on ${open.join(", ")}`, `Run as an administrator: zeph store migrate ${shown}`)];
  return [ok("tables", `${tables.length}, with row security on each that holds anything of a tenant`)];
}

/** As programs do: acting as their role, for a tenant that nobody is. */
async function tryRowSecurity(url: string): Promise<StoreFinding> {
  const asProgram = openPg({ url, tenant: NOBODY, max: 1, role: await roleOf(url) });
  try {
    const tables = await asProgram.all<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(c.oid, 'select') order by 1`,
    );
    const seen: string[] = [];
    for (const { name } of tables)
      if (!SHARED_TABLES.includes(name) && (await asProgram.one(`select 1 from ${name} limit 1`))) seen.push(name);
    return seen.length > 0
      ? fail("rows", `a tenant sees rows of others in ${seen.join(", ")}`, "Do not use this store before that is put right.")
      : ok("rows", "a tenant sees nothing of others: tried on every table");
  } finally {
    await asProgram.close();
  }
}

async function roleOf(url: string): Promise<"zeph_worker" | "zeph_gateway"> {
  const db: Pg = openPg({ url, bare: true, max: 1 });
  try {
    const row = await db.one<{ may: boolean }>("select pg_has_role(current_user, 'zeph_worker', 'member') as may");
    return row?.may ? "zeph_worker" : "zeph_gateway";
  } finally {
    await db.close();
  }
}

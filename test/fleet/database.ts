import { randomBytes } from "node:crypto";
import { afterAll, inject } from "vitest";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";

export const hasPostgres = inject("postgres") !== "";
export const hasNats = inject("nats") !== "";

/** A schema of its own for a test file, dropped at its end. Tests in it keep apart by their tenants. */
export async function makeSchema(server = inject("postgres")): Promise<string> {
  const name = `t_${randomBytes(6).toString("hex")}`;
  const url = `${server}?schema=${name}`;
  await initStore(url);
  afterAll(async () => {
    const db = openPg({ url, bare: true, max: 1 });
    await db.run(`drop schema if exists ${name} cascade`);
    await db.close();
  });
  return url;
}

/** A name for a tenant that no other test has. */
export const newTenant = (): string => `t-${randomBytes(6).toString("hex")}`;

import { openPg, type Pg } from "../../../store/pg/pg.ts";
import { createImpatientDb } from "./impatient-db.ts";

/** Connections as each tenant sees the store. Idle ones close by themselves, so a tenant that rests costs nothing but a name. */
export interface TenantDatabases {
  of(tenant: string): Pg;
  close(): Promise<void>;
}

const MOST_TENANTS = 500;
const MOST_CONNECTIONS = 4;

export function openTenantDatabases(url: string): TenantDatabases {
  const open = new Map<string, Pg>();
  const forget = (tenant: string): void => {
    const db = open.get(tenant);
    open.delete(tenant);
    void db?.close().catch(() => {});
  };
  return {
    of(tenant) {
      const db = open.get(tenant) ?? createImpatientDb(openPg({ url, tenant, role: "zeph_gateway", max: MOST_CONNECTIONS }));
      // The last one used is the last one in the map.
      open.delete(tenant);
      open.set(tenant, db);
      const [oldest] = open.keys();
      if (open.size > MOST_TENANTS) forget(oldest!);
      return db;
    },
    async close() {
      await Promise.all([...open.values()].map((db) => db.close()));
      open.clear();
    },
  };
}

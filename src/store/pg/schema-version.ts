import type { PoolClient } from "pg";
import { StoreError } from "../sqlite/error.ts";
import type { StorePlace } from "./place.ts";
import { SCHEMA_STEPS } from "./schema/steps.ts";

/** A program of this version needs these tables, and goes on with newer ones for as long as they say that it may. */
export async function assertUsable(client: PoolClient, place: StorePlace): Promise<void> {
  const found = await readVersion(client);
  if (found === null) throw new StoreError(place.shown, `${place.shown} has no tables of Zeph yet. Run: zeph store init ${place.shown}`);
  if (found.version < SCHEMA_STEPS.length)
    throw new StoreError(
      place.shown,
      `${place.shown} was made by an older Zeph (schema ${found.version}, this one needs ${SCHEMA_STEPS.length}). Run: zeph store migrate ${place.shown}`,
    );
  if (found.compatibleFrom > SCHEMA_STEPS.length)
    throw new StoreError(
      place.shown,
      `${place.shown} was changed by a newer Zeph (schema ${found.version}); this one (${SCHEMA_STEPS.length}) is too old for it. Update Zeph.`,
    );
}

export interface SchemaVersion {
  readonly version: number;
  /** The oldest program that may use it. */
  readonly compatibleFrom: number;
}

export async function readVersion(client: PoolClient): Promise<SchemaVersion | null> {
  const { rows } = await client.query("select to_regclass('zeph_schema') is not null as there");
  if (!rows[0].there) return null;
  const found = await client.query("select version, compatible_from from zeph_schema");
  return found.rows[0] ? { version: found.rows[0].version, compatibleFrom: found.rows[0].compatible_from } : null;
}

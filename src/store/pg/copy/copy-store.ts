import { StoreError } from "../../sqlite/error.ts";
import { openPg, type Rows } from "../pg.ts";
import {
  COPIED_CONVERSATIONS,
  COPIED_MEMORIES,
  COPIED_MESSAGES,
  COPIED_SAID,
  COPIED_TABLES,
  COPIED_VECTORS,
  type CopiedTable,
} from "./copied-tables.ts";
import { createBatches } from "./insert-batch.ts";
import { openStoreSource, type StoreSource } from "./store-source.ts";

export interface CopyStoreOptions {
  /** The SQLite file. It is not changed. */
  readonly from: string;
  readonly url: string;
  /** Whose data it becomes. It has none yet. */
  readonly tenant: string;
  readonly onProgress?: (progress: CopyProgress) => void;
}
export interface CopyProgress {
  readonly table: string;
  readonly done: number;
  readonly total: number;
}
export interface CopiedRows {
  readonly table: string;
  readonly copied: number;
  /** Rows that could not be read, or that belong to such a row. */
  readonly leftOut: number;
}

/** How often somebody is told how far it is. */
const TOLD_EVERY = 1000;

/**
 * Copies what machines share, in one transaction: all of it is there, or nothing. What is about one machine stays in the file: trust, the ends of
 * audit files, spans of a stranger's writing.
 */
export async function copyStore({ from, url, tenant, onProgress = () => {} }: CopyStoreOptions): Promise<readonly CopiedRows[]> {
  const source = openStoreSource(from);
  const db = openPg({ url, tenant, max: 1 });
  try {
    return await db.together(async (rows) => {
      await rows.all("select pg_advisory_xact_lock(hashtextextended(current_setting('zeph.tenant'), 1129270361))");
      await assertEmpty(rows, db.shown, tenant);
      const copied: CopiedRows[] = [];
      for (const copy of [COPIED_CONVERSATIONS, COPIED_MESSAGES, ...COPIED_TABLES, COPIED_MEMORIES, COPIED_VECTORS])
        copied.push(await copyTable({ source, rows, table: copy, onProgress }));
      for (const { table, copied: number } of copied) await assertCount(rows, db.shown, table, number);
      return copied;
    });
  } finally {
    source.close();
    await db.close();
  }
}

interface Copying {
  readonly source: StoreSource;
  readonly rows: Rows;
  readonly table: CopiedTable;
  readonly onProgress: (progress: CopyProgress) => void;
}

async function copyTable({ source, rows, table, onProgress }: Copying): Promise<CopiedRows> {
  const total = source.count(table.name);
  const batches = createBatches(rows, table);
  const said = table === COPIED_MESSAGES ? createBatches(rows, COPIED_SAID, batches.flush) : null;
  let done = 0;
  for (const row of source.rows(table)) {
    await batches.add(row);
    await said?.add(row);
    done += 1;
    if (done % TOLD_EVERY === 0) onProgress({ table: table.name, done, total });
  }
  await said?.end();
  const copied = await batches.end();
  onProgress({ table: table.name, done, total });
  return { table: table.name, copied, leftOut: total - copied };
}

async function assertEmpty(rows: Rows, shown: string, tenant: string): Promise<void> {
  const found: string[] = [];
  for (const { name } of [COPIED_CONVERSATIONS, ...COPIED_TABLES, COPIED_MEMORIES])
    if (await rows.one(`select 1 from ${name} limit 1`)) found.push(name);
  if (found.length > 0)
    throw new StoreError(
      shown,
      `The tenant ${tenant} has rows at ${shown} already (${found.join(", ")}), so nothing was copied: two stores are not mixed. Copy to another tenant with --tenant.`,
    );
}

async function assertCount(rows: Rows, shown: string, table: string, expected: number): Promise<void> {
  const found = (await rows.one<{ number: number }>(`select count(*) as number from ${table}`))!.number;
  if (found !== expected)
    throw new StoreError(shown, `${table} has ${found} rows at ${shown} in place of ${expected}, so nothing was copied. Try it again.`);
}

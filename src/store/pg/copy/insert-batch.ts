import type { Rows } from "../pg.ts";
import type { CopiedColumn, CopiedTable } from "./copied-tables.ts";
import type { SourceRow } from "./store-source.ts";

/** Rows that are sent at once: so many, or so many bytes, whichever comes first. */
const BATCH = { rows: 1000, bytes: 8 * 1024 * 1024 };

/** Sends rows of one table in batches, and before each whatever it needs. What does not fit its column, or has lost its parent, is left out. */
export function createBatches(rows: Rows, table: CopiedTable, before: () => Promise<void> = async () => {}) {
  const names = Object.keys(table.columns);
  const sql = insertOf(table, names);
  let waiting: unknown[][] = [];
  let bytes = 0;
  let inserted = 0;

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const columns = names.map((_, at) => waiting.map((row) => row[at]));
    waiting = [];
    bytes = 0;
    await before();
    inserted += await rows.run(sql, ...columns);
  };
  return {
    flush,
    async add(row: SourceRow): Promise<void> {
      const whole = table.derive ? table.derive(row) : row;
      const values = whole && names.map((name) => valueFor(table.columns[name]!, whole[name]));
      if (!values?.every((value) => value !== undefined)) return;
      waiting.push(values);
      bytes += values.reduce<number>((sum, value) => sum + sizeOf(value), 0);
      if (waiting.length >= BATCH.rows || bytes >= BATCH.bytes) await flush();
    },
    /** How many rows there are now. */
    async end(): Promise<number> {
      await flush();
      return inserted;
    },
  };
}

/** In the order in which they are given: their numbers rise with it. */
function insertOf({ name, columns, made = {}, where = "true" }: CopiedTable, names: readonly string[]): string {
  const arrays = names.map((column) => `?::${columns[column]!.type}[]`).join(", ");
  const values = names.map((column) => made[column] ?? `given.${column}`).join(", ");
  return `insert into ${name} (${names.join(", ")}) select ${values}
    from unnest(${arrays}) with ordinality as given (${names.join(", ")}, place) where ${where} order by given.place on conflict do nothing`;
}

/** Undefined for what does not fit. SQLite keeps anything anywhere. */
function valueFor({ type, nullable, missing }: CopiedColumn, value: unknown): unknown {
  if (value === undefined) return missing;
  if (value === null) return nullable ? null : undefined;
  if (type === "text") return typeof value === "string" && !value.includes("\0") ? value : undefined;
  if (type === "bytea") return value instanceof Uint8Array ? value : undefined;
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  const number = Number(value);
  const most = type === "integer" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  return (typeof value === "bigint" || typeof value === "number") && Number.isInteger(number) && Math.abs(number) <= most
    ? number
    : undefined;
}

const sizeOf = (value: unknown): number => (typeof value === "string" || value instanceof Uint8Array ? value.length : 8);

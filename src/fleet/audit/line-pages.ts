import type { Pg } from "../../store/pg/pg.ts";

export interface LineRow {
  readonly n: number;
  readonly line: string;
  readonly raw: Uint8Array | null;
  readonly hash: string;
}

export interface ArrivedRow extends LineRow {
  readonly writer: string;
  /** When it came, to the microsecond: where the next page begins. */
  readonly at: string;
}

/** A page is so many rows, and ends with the one that goes beyond so many bytes. */
const ROWS = 1000;
const BYTES = 4_000_000;

/** Rows of a query in their order, cut off where their bytes are enough. Lengths are known without reading what is long. */
const bounded = (columns: string, order: string, from: string) =>
  `select ${columns} from (select *, sum(bytes) over (order by ${order}) - bytes as before from
     (select *, octet_length(line) + coalesce(octet_length(raw), 0) as bytes from ${from} order by ${order} limit ${ROWS}) p) q
   where before < ${BYTES} order by ${order}`;

/** The lines of a chain after one of them, up to another, a page at a time. */
export async function* chainLines(db: Pg, writer: string, after: number, until: number): AsyncGenerator<readonly LineRow[]> {
  for (let last = after; ; ) {
    const page = await db.all<LineRow & { n: number }>(
      bounded("n, line, raw, hash", "n", "audit_lines where tenant = ? and writer = ? and n > ? and n <= ?"),
      db.tenant,
      writer,
      last,
      until,
    );
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)!.n;
  }
}

/** Lines in the order in which they came, from a moment on. What comes meanwhile is among them. */
export async function* arrivedLines(db: Pg, since: Date): AsyncGenerator<readonly ArrivedRow[]> {
  let [at, writer, n] = [since.toISOString(), "", 0];
  for (;;) {
    const page = await db.all<ArrivedRow & { n: number }>(
      bounded(
        "n, line, raw, hash, writer, to_char(at at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') as at",
        "at, writer, n",
        "audit_lines where tenant = ?1 and at >= ?2::timestamptz and (at, writer, n) > (?2::timestamptz, ?3, ?4)",
      ),
      db.tenant,
      at,
      writer,
      n,
    );
    const end = page.at(-1);
    if (!end) return;
    yield page;
    ({ at, writer, n } = end);
  }
}

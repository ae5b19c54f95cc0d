import type { Pg } from "../../store/pg/pg.ts";

/** What may be used in a minute under a key, on all machines together: requests to a provider. */
export interface Buckets {
  /** Makes the bucket, full, or changes how much it holds. */
  set(key: string, perMinute: number): Promise<void>;
  /** At most so many; fewer where fewer are left. With none, how long to wait. A key without a bucket has no limit. */
  take(key: string, want: number): Promise<{ readonly got: number; readonly waitMs: number }>;
  /** Nothing is handed out for so long: the provider said that it was too much. A longer wait that was said before stays. */
  hold(key: string, ms: number): Promise<void>;
}

export function createBuckets(db: Pg): Buckets {
  return {
    async set(key, perMinute) {
      await db.run(
        `insert into buckets (key, per_minute, level) values (?, ?::integer, ?2::integer)
         on conflict (tenant, key) do update set per_minute = excluded.per_minute, level = least(buckets.level, excluded.per_minute)`,
        key,
        perMinute,
      );
    },
    async take(key, want) {
      const row = await db.one("select got, wait_ms from take_from_bucket(?, ?)", key, want);
      return { got: row!.got, waitMs: Math.ceil(row!.wait_ms) };
    },
    async hold(key, ms) {
      await db.run(
        "update buckets set not_before = greatest(not_before, clock_timestamp() + ? * interval '1 millisecond') where key = ?",
        ms,
        key,
      );
    },
  };
}

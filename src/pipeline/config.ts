import * as z from "zod";
import { setting } from "../core/setting.ts";

/** Retention and the cap cannot be set by a stranger: what is kept belongs to every project, and for the cap 0 is the largest. */
export const overflowConfig = z
  .strictObject({
    threshold: setting(
      z.int().min(1).max(100_000_000).default(50_000),
      "A result with more characters than this is kept in the store; the model gets its beginning, its end and an id for `read_overflow`.",
      "smaller",
    ),
    retention_days: setting(z.number().min(0).max(3650).default(7), "What was kept is deleted at the first start after so many days."),
    max_overflow_bytes: setting(
      z.int().min(0).max(1_000_000_000).default(10_485_760),
      "Of a result larger than this only the beginning and the end are kept. 0 means no limit.",
    ),
  })
  .prefault({});
export type OverflowConfig = z.output<typeof overflowConfig>;

export const cacheConfig = z
  .strictObject({
    enabled: setting(z.boolean().default(true), "Answer a repeated read or search from memory while nothing it read has changed.", "off"),
    ttl_secs: setting(
      z.number().min(0).max(31_536_000).default(300),
      "An answer older than this is not given again. 0 means never too old.",
    ),
  })
  .prefault({});
export type CacheConfig = z.output<typeof cacheConfig>;

import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";

/** What `--limit` sets under a key: tasks that run at a time, requests to the model in a minute. */
export interface BatchLimit {
  readonly key: string;
  readonly running?: number;
  readonly perMinute?: number;
}

/** `anthropic=40` and `anthropic=600/min`. */
export function readBatchLimits(given: readonly string[]): readonly BatchLimit[] {
  const limits = new Map<string, BatchLimit>();
  for (const one of given) {
    const [, key = "", count = "", unit] = /^([^=\s]{1,200})=(\d+)(\/min)?$/.exec(one) ?? [];
    if (key === "")
      throw new UsageError(`--limit ${one}: write anthropic=40 for 40 tasks at a time, or anthropic=600/min for 600 requests in a minute.`);
    const n = wholeNumber("--limit", count, { least: 1, most: 1_000_000 });
    limits.set(key, { key, ...limits.get(key), ...(unit ? { perMinute: n } : { running: n }) });
  }
  return [...limits.values()];
}

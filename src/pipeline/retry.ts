import * as z from "zod";
import { CATEGORIES, type ToolError } from "../core/error.ts";
import { setting } from "../core/setting.ts";
import type { Effect } from "../core/tool.ts";

export const retryConfig = z
  .strictObject({
    max_attempts: setting(z.int().min(0).max(10).default(2), "Retries after the first try; 0 means none.", "smaller"),
    base_ms: setting(z.int().min(0).max(60_000).default(500), "The first pause is at most this long; it doubles with each retry."),
    max_ms: setting(z.int().min(0).max(600_000).default(5000), "No pause is longer than this."),
    budget_secs: setting(
      z.number().min(0).max(3600).default(30),
      "A retry that would begin later than this after the first try is not made.",
      "smaller",
    ),
  })
  .prefault({});
export type RetryConfig = z.output<typeof retryConfig>;

/** Only what changes nothing is tried again: a write that failed half way must be seen, not repeated. */
export const mayRetry = (effect: Effect, error: ToolError): boolean =>
  (effect === "reads" || effect === "fetches") && CATEGORIES[error.category].retry === "system";

/** The pause before retry n (from 1), with full jitter; null when the budget is spent. */
export function pause(n: number, elapsedMs: number, config: RetryConfig, random: () => number = Math.random): number | null {
  if (n > config.max_attempts) return null;
  const ms = Math.round(random() * Math.min(config.max_ms, config.base_ms * 2 ** (n - 1)));
  return elapsedMs + ms > config.budget_secs * 1000 ? null : ms;
}

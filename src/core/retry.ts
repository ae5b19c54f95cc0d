import * as z from "zod";
import { makeOnce } from "../text/make-once.ts";
import { setting } from "./setting.ts";

export const retryConfig = makeOnce(() =>
  z
    .strictObject({
      max_attempts: setting(z.int().min(0).max(10).default(2), "Retries after the first try; 0 means none.", "smaller"),
      base_ms: setting(z.int().min(0).max(60_000).default(500), "The first pause is at most this long; it doubles with each retry."),
      max_ms: setting(z.int().min(0).max(600_000).default(5000), "No pause is longer than this, unless the other side asks for it."),
      budget_secs: setting(
        z.number().min(0).max(3600).default(30),
        "A retry that would begin later than this after the first try is not made.",
        "smaller",
      ),
      parameter_reformat_provider: setting(
        z.string().default(""),
        "The provider whose model may repair the arguments of a call once, when they do not fit the tool. Empty means none.",
      ),
    })
    .prefault({}),
);
/** When to try again, and how long to wait. */
export type RetryConfig = Omit<z.output<ReturnType<typeof retryConfig>>, "parameter_reformat_provider">;

/** How far it has come: which retry it would be (from 1), and how long ago the first try began. */
export interface RetryState {
  readonly n: number;
  readonly elapsedMs: number;
  /** Asked for by the other side; never cut short. */
  readonly retryAfterMs?: number | undefined;
}

/** The pause before the next try, with full jitter; null when there is to be none. */
export function pause(
  { n, elapsedMs, retryAfterMs = 0 }: RetryState,
  config: RetryConfig,
  random: () => number = Math.random,
): number | null {
  if (n > config.max_attempts) return null;
  const ms = Math.max(retryAfterMs, Math.round(random() * Math.min(config.max_ms, config.base_ms * 2 ** (n - 1))));
  return elapsedMs + ms > config.budget_secs * 1000 ? null : ms;
}

/** False when it was cancelled while waiting. */
export const sleep = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });

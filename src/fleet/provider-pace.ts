import { ModelError } from "../core/model-error.ts";
import type { ModelMiddleware } from "../core/ports/model.ts";
import { unlessAborted } from "../text/abort.ts";
import { waitWithin } from "../text/wait-within.ts";
import type { Buckets } from "./govern/buckets.ts";

/** Requests to providers, as many in a minute as all machines together may send. */
export interface ProviderPace {
  /** Stands before the model of a task that has this limit. */
  middlewareFor(limit: string): ModelMiddleware;
}

export interface ProviderPaceOptions {
  readonly buckets: Buckets;
  /** A provider wants no more under this limit for so long: the whole key is told, not this one task. */
  readonly onRateLimited: (limit: string, ms: number) => void;
}

const MOST_AT_ONCE = 20;
/** What was taken and not used in that time is no longer right: others had to wait for it, and the minute went on. */
const KEEP_MS = 5000;
/** A provider that does not say how long. */
const HOLD_MS = 10_000;

export function createProviderPace({ buckets, onRateLimited }: ProviderPaceOptions): ProviderPace {
  const lanes = new Map<string, Lane>();
  const laneOf = (limit: string): Lane => {
    const lane = lanes.get(limit) ?? createLane(limit, buckets);
    lanes.set(limit, lane);
    return lane;
  };
  return {
    middlewareFor: (limit) =>
      async function* pace(prompt, next, { signal }) {
        await laneOf(limit).pass(signal);
        try {
          yield* next(prompt);
        } catch (error) {
          if (error instanceof ModelError && error.fault === "rate_limited") {
            const ms = error.retryAfterMs ?? HOLD_MS;
            laneOf(limit).forget();
            onRateLimited(limit, ms);
          }
          throw error;
        }
      },
  };
}

interface Lane {
  /** Resolves when one more request may be sent. */
  pass(signal: AbortSignal): Promise<void>;
  forget(): void;
}

/** Takes as many at once as wait here: a row is asked once for twenty requests, not twenty times, and little lies unused. */
function createLane(limit: string, buckets: Buckets): Lane {
  let kept = 0;
  let keptAt = 0;
  let waiting = 0;
  let line: Promise<void> = Promise.resolve();
  const takeOne = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (performance.now() - keptAt > KEEP_MS) kept = 0;
    while (kept === 0) {
      const { got, waitMs } = await buckets.take(limit, Math.min(MOST_AT_ONCE, waiting));
      kept = got;
      keptAt = performance.now();
      if (got > 0) continue;
      await waitWithin(new Promise(() => {}), waitMs, undefined, signal);
      signal.throwIfAborted();
    }
    kept--;
  };
  return {
    async pass(signal) {
      waiting++;
      // One asks at a time; who comes later waits behind it.
      const mine = line.then(() => takeOne(signal)).finally(() => waiting--);
      line = mine.catch(() => {});
      await unlessAborted(mine, signal, () => {
        throw signal.reason;
      });
    },
    forget() {
      kept = 0;
    },
  };
}

import type { Totals } from "../core/event.ts";
import type { Outcome } from "../core/layer.ts";
import type { Price, Usage } from "../core/ports/model.ts";

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Counts what a turn comes to. */
export function createTurnTotals(price: Price | undefined) {
  let usage = NO_USAGE;
  let cost = 0;
  let requests = 0;
  let calls = 0;
  let denied = 0;
  let unanswered = 0;
  return {
    asked() {
      requests++;
    },
    /** `by` is the price of another model than the one of the turn. */
    answered(more: Usage | null, by: Price | undefined = price) {
      usage = sum(usage, more ?? NO_USAGE);
      if (more && by) cost += costOf(more, by);
    },
    ended(outcome: Outcome) {
      calls++;
      if (outcome.ok) return;
      // What is skipped can be had by asking again; nobody refused it.
      if (outcome.decision.verdict === "deny" && outcome.decision.gate !== "utility") denied++;
      else if (outcome.error.category === "confirmation_required") unanswered++;
    },
    totals: (): Totals => ({ usage, ...(price && { cost }), requests, calls, denied, unanswered }),
  };
}

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
});

/** US dollars. Cached tokens are part of the input and have prices of their own. */
export function costOf({ input, cacheRead, cacheWrite, output }: Usage, price: Price): number {
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const perMillion =
    plain * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output;
  return perMillion / 1_000_000;
}

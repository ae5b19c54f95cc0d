import type { Budget } from "../../agent/budget.ts";
import type { createTurnTotals } from "../../agent/turn-totals.ts";
import type { Price, Usage } from "../../core/ports/model.ts";

type Tally = ReturnType<typeof createTurnTotals>;

/** What our own questions to models cost. They count in the turn they are asked in, or else in the next. */
export interface Spending {
  add(usage: Usage | null, price: Price | undefined): void;
  during<T>(counts: Tally, budget: Budget, work: () => Promise<T>): Promise<T>;
  /** The budget of the turn that is under way; null between turns. */
  budget(): Budget | null;
}

export function openSpending(): Spending {
  let open: { readonly counts: Tally; readonly budget: Budget } | null = null;
  let waiting: { readonly usage: Usage | null; readonly price: Price | undefined }[] = [];
  const count = (counts: Tally, usage: Usage | null, price: Price | undefined) => {
    counts.asked();
    counts.answered(usage, price);
  };
  return {
    add(usage, price) {
      if (open) count(open.counts, usage, price);
      else waiting.push({ usage, price });
    },
    budget: () => open?.budget ?? null,
    async during(counts, budget, work) {
      for (const { usage, price } of waiting) count(counts, usage, price);
      waiting = [];
      const mine = { counts, budget };
      open = mine;
      try {
        return await work();
      } finally {
        if (open === mine) open = null;
      }
    },
  };
}

import type { createTurnTotals } from "../../agent/turn-totals.ts";
import type { Price, Usage } from "../../core/ports/model.ts";

type Tally = ReturnType<typeof createTurnTotals>;

/** What our own questions to models cost. They count in the turn they are asked in, or else in the next. */
export interface Spending {
  add(usage: Usage | null, price: Price | undefined): void;
  during<T>(counts: Tally, work: () => Promise<T>): Promise<T>;
}

export function openSpending(): Spending {
  let open: Tally | null = null;
  let waiting: { readonly usage: Usage | null; readonly price: Price | undefined }[] = [];
  const count = (counts: Tally, usage: Usage | null, price: Price | undefined) => {
    counts.asked();
    counts.answered(usage, price);
  };
  return {
    add(usage, price) {
      if (open) count(open, usage, price);
      else waiting.push({ usage, price });
    },
    async during(counts, work) {
      for (const { usage, price } of waiting) count(counts, usage, price);
      waiting = [];
      open = counts;
      try {
        return await work();
      } finally {
        if (open === counts) open = null;
      }
    },
  };
}

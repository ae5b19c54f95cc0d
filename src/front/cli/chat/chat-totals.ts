import type { Ending, Totals, ZephEvent } from "../../../core/event.ts";
import { grouped } from "../../../text/words.ts";

/** The totals of several turns. */
export interface ChatTotals {
  add(event: ZephEvent): void;
  readonly endings: ReadonlySet<Ending>;
  totals(): Totals;
}

const NONE: Totals = {
  usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  requests: 0,
  calls: 0,
  denied: 0,
  unanswered: 0,
};

export function createChatTotals(): ChatTotals {
  const endings = new Set<Ending>();
  let sum = NONE;
  return {
    endings,
    add(event) {
      if (event.type !== "done") return;
      endings.add(event.why);
      sum = added(sum, event.totals);
    },
    totals: () => sum,
  };
}

const added = (a: Totals, b: Totals): Totals => ({
  usage: {
    input: a.usage.input + b.usage.input,
    cacheRead: a.usage.cacheRead + b.usage.cacheRead,
    cacheWrite: a.usage.cacheWrite + b.usage.cacheWrite,
    output: a.usage.output + b.usage.output,
  },
  ...((a.cost !== undefined || b.cost !== undefined) && { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
  requests: a.requests + b.requests,
  calls: a.calls + b.calls,
  denied: a.denied + b.denied,
  unanswered: a.unanswered + b.unanswered,
});

/** `12,340 tokens in (9,800 cached), 560 out, 3 requests, 5 calls, $0.021` */
export function totalsText({ usage, cost, requests, calls }: Totals): string {
  const cached = usage.cacheRead > 0 ? ` (${grouped(usage.cacheRead)} cached)` : "";
  return [
    `${grouped(usage.input)} tokens in${cached}`,
    `${grouped(usage.output)} out`,
    counted(requests, "request"),
    counted(calls, "call"),
    ...(cost === undefined ? [] : [dollars(cost)]),
  ].join(", ");
}

const counted = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
/** Small amounts need their digits. */
export const dollars = (cost: number): string => `$${cost >= 1 ? cost.toFixed(2) : cost.toFixed(cost >= 0.001 || cost === 0 ? 3 : 6)}`;

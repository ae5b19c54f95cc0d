import { expect, it } from "vitest";
import type { Totals } from "../../../core/event.ts";
import { runExit } from "../exit.ts";
import { createChatTotals, dollars, totalsText } from "./chat-totals.ts";

const totals = (more: Partial<Totals> = {}): Totals => ({
  usage: { input: 12_340, cacheRead: 9800, cacheWrite: 0, output: 560 },
  requests: 3,
  calls: 5,
  denied: 0,
  unanswered: 0,
  ...more,
});

it("sums up turns in one line; the cost only when it is known", () => {
  expect(totalsText(totals({ cost: 0.021 }))).toBe("12,340 tokens in (9,800 cached), 560 out, 3 requests, 5 calls, $0.021");
  expect(totalsText(totals({ requests: 1, calls: 1 }))).toBe("12,340 tokens in (9,800 cached), 560 out, 1 request, 1 call");
  const sum = createChatTotals();
  for (const why of ["answered", "length"] as const) sum.add({ type: "done", why, totals: totals({ cost: 0.75, denied: 1 }) });
  expect(totalsText(sum.totals())).toBe("24,680 tokens in (19,600 cached), 1,120 out, 6 requests, 10 calls, $1.50");
  expect(sum.totals().denied).toBe(2);
  expect([...sum.endings]).toEqual(["answered", "length"]);
  expect([0, 0.0004, 0.0123, 12.5].map(dollars)).toEqual(["$0.000", "$0.000400", "$0.012", "$12.50"]);
});

it("a run exits with the first of all that happened", () => {
  const none = { denied: 0, unanswered: 0 };
  const both = { denied: 1, unanswered: 1 };
  expect(runExit(["answered"], none)).toBe(0);
  expect(runExit(["answered"], { denied: 0, unanswered: 1 })).toBe(4);
  expect(runExit(["answered"], both)).toBe(3);
  for (const why of ["iterations", "repeated", "context", "length"] as const) expect(runExit(["answered", why], both)).toBe(6);
  expect(runExit(["length", "failed"], both)).toBe(7);
  expect(runExit(["failed", "cancelled", "answered"], both)).toBe(130);
});

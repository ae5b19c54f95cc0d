import type { Savings } from "../../core/ports/printed/savings.ts";
import type { Confidence } from "../../core/tool.ts";
import { commandKind } from "../../filters/command-kind.ts";
import type { FilterStats } from "../../filters/stats.ts";

const WORDS = { Full: "full", Partial: "partial", Fallback: "fallback" } as const satisfies Record<Confidence, string>;

/** Counts what filters saved, and keeps it for later runs. No call waits for that or fails by it: a sum that lacks a line harms nobody. */
export const createKeptStats = (counts: FilterStats, savings: Savings): FilterStats => ({
  counts: counts.counts,
  add(result, command) {
    counts.add(result, command);
    const { rule, confidence, rawChars, chars } = result;
    const kind = commandKind(command);
    void savings.add({ day: dayOf(new Date()), kind, rule, confidence: WORDS[confidence], uses: 1, rawChars, chars }).catch(() => {});
  },
});

/** 2026-11-18, where the person is. */
export function dayOf(moment: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

import type { ClientDecision } from "../../pipeline/client-calls.ts";

/** What was said about one call, as far as a client is told. */
export type Ruling = Pick<ClientDecision, "verdict" | "gate" | "why" | "told">;

const ORDER = ["allow", "ask", "deny"] as const;

/** Of several rulings the strictest, and of those the first. None at all is a denial. */
export const strictestOf = (rulings: readonly Ruling[]): Ruling =>
  rulings.reduce<Ruling | null>(
    (worst, one) => (worst && ORDER.indexOf(worst.verdict) >= ORDER.indexOf(one.verdict) ? worst : one),
    null,
  ) ?? unreadable(new Error("nothing was judged"));

/** A call that could not be judged, or whose line could not be written, is not made. */
export const unreadable = (error: unknown): Ruling => ({
  verdict: "deny",
  gate: "hook",
  why: `It could not be judged: ${error instanceof Error ? error.message : String(error)}`,
  told: null,
});

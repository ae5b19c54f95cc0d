import type { Outcome } from "../core/layer.ts";

/** Part of the public contract: scripts rely on these. */
export const EXIT = { ok: 0, bug: 1, usage: 2, denied: 3, unanswered: 4, failed: 5, cancelled: 130 } as const;

/** A command that ran and exited non-zero is ok; a failure after a call was let in is a failure, whatever its category. */
export function exitCode(outcome: Outcome): number {
  if (outcome.ok) return EXIT.ok;
  if (outcome.error.category === "cancelled") return EXIT.cancelled;
  if (outcome.decision.verdict === "deny") return EXIT.denied;
  return outcome.error.category === "confirmation_required" ? EXIT.unanswered : EXIT.failed;
}

/** Of many calls the one that most needs a person decides. */
export function worstExit(codes: ReadonlySet<number>): number {
  const order = [EXIT.cancelled, EXIT.denied, EXIT.unanswered, EXIT.failed];
  return order.find((code) => codes.has(code)) ?? EXIT.ok;
}

import type { Ending } from "../../core/event.ts";
import type { Outcome } from "../../core/layer.ts";

/** Part of the public contract: scripts rely on these. */
export const EXIT = { ok: 0, bug: 1, usage: 2, denied: 3, unanswered: 4, failed: 5, limit: 6, model: 7, cancelled: 130 } as const;

/** The decision of the rules as an exit code. */
export const VERDICT_EXIT = { allow: EXIT.ok, ask: EXIT.unanswered, deny: EXIT.denied } as const;

/** A command that ran and exited non-zero is ok; a failure after a call was let in is a failure, whatever its category. */
export function exitCode(outcome: Outcome): number {
  if (outcome.ok) return EXIT.ok;
  if (outcome.error.category === "cancelled") return EXIT.cancelled;
  if (outcome.decision.verdict === "deny") return EXIT.denied;
  return outcome.error.category === "confirmation_required" ? EXIT.unanswered : EXIT.failed;
}

/** Of many calls the one that most needs a person decides. */
export const worstExit = (codes: ReadonlySet<number>): number =>
  [EXIT.cancelled, EXIT.denied, EXIT.unanswered, EXIT.failed].find((code) => codes.has(code)) ?? EXIT.ok;

/** How a turn of a model ended; what became of its calls counts only when it came to an end of its own. */
const ENDINGS: Readonly<Record<Ending, number>> = {
  answered: EXIT.ok,
  iterations: EXIT.limit,
  repeated: EXIT.limit,
  context: EXIT.limit,
  length: EXIT.limit,
  budget: EXIT.limit,
  waiting: EXIT.unanswered,
  output: EXIT.model,
  failed: EXIT.model,
  cancelled: EXIT.cancelled,
};

/** The exit code of a headless run: of all that happened in it, the first in this order. */
export function runExit(
  endings: Iterable<Ending>,
  { denied, unanswered }: { readonly denied: number; readonly unanswered: number },
): number {
  const codes = new Set<number>([...endings].map((why) => ENDINGS[why]));
  if (denied > 0) codes.add(EXIT.denied);
  if (unanswered > 0) codes.add(EXIT.unanswered);
  return [EXIT.cancelled, EXIT.model, EXIT.limit, EXIT.denied, EXIT.unanswered].find((code) => codes.has(code)) ?? EXIT.ok;
}

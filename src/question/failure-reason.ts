import type { Outcome } from "../core/layer.ts";

/** Why a call failed, for a person: a model may have been told less. */
export function failureReason({ error, decision: { why, by } }: Extract<Outcome, { ok: false }>): string {
  return why === undefined || by !== undefined || error.message.includes(why) ? error.message : why;
}

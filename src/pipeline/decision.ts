import type { Decision, Grant, Objection } from "../core/gate/verdict.ts";

/** A call that never reached the door: no such tool, or input that does not fit. */
export const UNJUDGED: Decision = Object.freeze({ verdict: "none" });

/** Why an admitted call was let in. */
export function decisionOf(grant: Grant): Decision {
  if (grant.kind === "preapproved") return { verdict: "allow", by: "rules" };
  const asked = grant.asked[0];
  return { verdict: "allow", by: grant.by, ...withReason(grant.reason), ...(asked && spoken(asked)) };
}

/** Which gate objected, and why. */
export const objected = (verdict: "ask" | "deny", objection: Objection, by?: string, reason?: string): Decision => ({
  verdict,
  ...spoken(objection),
  ...(by !== undefined && { by }),
  ...withReason(reason),
});

const withReason = (reason: string | undefined) => (reason === undefined ? {} : { reason });

const spoken = ({ gate, rule, why }: Objection) => ({ gate, ...(rule !== null && { rule }), why });

import type { Category } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";

/** What an outcome says about the tool itself. What was not the tool's doing says nothing and is not counted at all. */
export type ToolVerdict = "worked" | "failed" | "says nothing";

const KINDS: Readonly<Record<Category, "failure" | "answer" | "bad call" | "nobody's">> = {
  rate_limited: "failure",
  server_error: "failure",
  network_error: "failure",
  timeout: "failure",
  permanent_failure: "answer",
  invalid_parameters: "bad call",
  type_mismatch: "bad call",
  // A rule, a wall or a person refused: that says something about the call, and nothing about the tool.
  policy_blocked: "nobody's",
  tool_not_found: "nobody's",
  confirmation_required: "nobody's",
  cancelled: "nobody's",
};

/** Of a call that reached the door. */
export function toolVerdict(outcome: Outcome, from: "built in" | "brought"): ToolVerdict {
  // A command that ran is a tool that worked: a red test run is a result, and so is one that took too long.
  if (outcome.ok || (outcome.output?.exitCode !== undefined && outcome.error.category !== "cancelled")) return "worked";
  const kind = KINDS[outcome.error.category];
  if (kind === "nobody's") return "says nothing";
  // A file that is not there is an answer. What somebody else's tool throws may be anything, and it is theirs.
  if (kind === "answer") return from === "brought" ? "failed" : "says nothing";
  return "failed";
}

/** Of a call that did not: only wrong arguments count. */
export const missedVerdict = (outcome: Outcome): ToolVerdict =>
  !outcome.ok && KINDS[outcome.error.category] === "bad call" ? "failed" : "says nothing";

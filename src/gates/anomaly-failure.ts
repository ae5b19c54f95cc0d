import { ANOTHER_QUESTION } from "../core/door.ts";
import type { Category } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { TurnContext } from "../core/turn.ts";

/** What an outcome says about the tool itself. What was not the tool's doing says nothing and is not counted at all. */
export type ToolVerdict = "worked" | "failed" | "says nothing";

const KINDS: Readonly<Record<Category, "failure" | "answer" | "bad call" | "policy" | "nobody's">> = {
  rate_limited: "failure",
  server_error: "failure",
  network_error: "failure",
  timeout: "failure",
  permanent_failure: "answer",
  invalid_parameters: "bad call",
  type_mismatch: "bad call",
  policy_blocked: "policy",
  tool_not_found: "nobody's",
  confirmation_required: "nobody's",
  cancelled: "nobody's",
};

/** These refuse because of who calls, how often, or in what order; and the blocklist, because of what nobody's tool ever does. */
const NOT_THE_TOOLS: readonly string[] = ["blocklist", "scope", "dependencies", "quota", "trust", "sentinel", "utility"];

/** Of a call that reached the door. */
export function toolVerdict(outcome: Outcome, turn: Pick<TurnContext, "phase">, from: "built in" | "brought"): ToolVerdict {
  // A command that ran is a tool that worked: a red test run is a result, and so is one that took too long.
  if (outcome.ok || (outcome.output?.exitCode !== undefined && outcome.error.category !== "cancelled")) return "worked";
  const kind = KINDS[outcome.error.category];
  if (kind === "nobody's") return "says nothing";
  // A file that is not there is an answer. What somebody else's tool throws may be anything, and it is theirs.
  if (kind === "answer") return from === "brought" ? "failed" : "says nothing";
  const { verdict, gate = "", rule, by } = outcome.decision;
  if (kind !== "policy") return "failed";
  // It was let in and met a wall, ours or a server's: the wall worked.
  if (verdict === "allow") return "says nothing";
  // A person's no, and a question that our own upkeep may not put, are no rule that forbids.
  if (by !== undefined || rule === ANOTHER_QUESTION || turn.phase === "autonomous" || NOT_THE_TOOLS.includes(gate)) return "says nothing";
  return "failed";
}

/** Of a call that did not: only wrong arguments count. */
export const missedVerdict = (outcome: Outcome): ToolVerdict =>
  !outcome.ok && KINDS[outcome.error.category] === "bad call" ? "failed" : "says nothing";

import type { Category } from "../../core/error.ts";
import type { Outcome } from "../../core/layer.ts";
import type { TrajectoryEnd } from "../../core/ports/store.ts";
import { wordSet } from "../../text/words.ts";

/** Gates whose no is a rule about the call itself. A refusal by another says nothing against it: a quota was used up, a tool was blocked. */
const RULES = wordSet("blocklist files scope scoped policy authorization adversarial permissions walls");

/** A failure of the tool on this very call. The network, a server and a model's typing mistakes come and go. */
const FAILURES: ReadonlySet<Category> = new Set(["permanent_failure", "timeout"]);

/** It took too long, could not be started, or does not exist: the command did not do its work. */
const DID_NOT_RUN: ReadonlySet<number> = new Set([124, 126, 127]);

/** How a call ended, as far as it is worth remembering; null for what nobody can learn from: a person's no, a cancelled call. */
export function sequenceEnding(outcome: Outcome): TrajectoryEnd | null {
  const { verdict, gate, by } = outcome.decision;
  if (verdict === "deny") return by === undefined && gate !== undefined && RULES.has(gate) ? "violation" : null;
  if (verdict !== "allow") return null;
  if (!outcome.ok && outcome.error.category === "cancelled") return null;
  const exitCode = outcome.output?.exitCode;
  // Of any other exit code: a command that ran has done its work, whatever it found.
  if (exitCode !== undefined) return DID_NOT_RUN.has(exitCode) ? "error" : "ok";
  if (outcome.ok) return "ok";
  return FAILURES.has(outcome.error.category) ? "error" : null;
}

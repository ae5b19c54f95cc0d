import { CATEGORIES, type Category, ToolError } from "../../core/error.ts";
import { ANOTHER_QUESTION, type Decision } from "../../core/gate/verdict.ts";
import type { Outcome } from "../../core/layer.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { AuditLine } from "../../store/audit/lines.ts";

export type Answer = "allow" | "ask" | "deny";

/** A line of a log; null when it is none of ours. A log that went through other hands may have lost its chain, and can be read all the same. */
export function entryOf({ bytes }: AuditLine): AuditEntry | null {
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return KINDS.has((value as AuditEntry | null)?.kind) ? (value as AuditEntry) : null;
  } catch {
    return null;
  }
}
const KINDS: ReadonlySet<unknown> = new Set<AuditEntry["kind"]>(["intent", "call", "settled", "egress", "note"]);

/** What the rules said then, whatever a person said after them. Null for a call that never reached the door. */
export function pastAnswer({ outcome, approved_by, refused_by, gate, rule }: AuditEntry): Answer | null {
  // Older logs name a gate of its own.
  if (outcome === "unanswered" || rule === ANOTHER_QUESTION || gate === "confirm") return "ask";
  if (outcome === "denied") return refused_by === undefined ? "deny" : "ask";
  if (approved_by === undefined) return null;
  return approved_by === "rules" ? "allow" : "ask";
}

/** It ran: whoever counts calls counts it. */
export const wasAdmitted = ({ outcome, approved_by, verdict }: AuditEntry): boolean =>
  (outcome === "ok" || outcome === "failed" || verdict === "allow") && approved_by !== undefined;

/** The outcome, as far as a line tells. */
export function outcomeOf(entry: AuditEntry): Outcome {
  const { call_id: callId = "", approved_by = "rules", exit_code, error = "" } = entry;
  const output = { text: "", ...(exit_code !== undefined && { exitCode: exit_code }) };
  if (entry.outcome === "ok")
    return { ok: true, callId, output, grant: { kind: "preapproved" }, decision: { verdict: "allow", by: approved_by }, cached: false };
  const category: Category = Object.hasOwn(CATEGORIES, entry.error_category ?? "") ? entry.error_category! : "permanent_failure";
  return {
    ok: false,
    callId,
    error: new ToolError(category, String(error)),
    decision: decisionOf(entry),
    ...(exit_code !== undefined && { output }),
  };
}

function decisionOf({ outcome, approved_by, refused_by, gate, rule }: AuditEntry): Decision {
  const by = approved_by ?? refused_by;
  const verdict = outcome === "denied" ? "deny" : outcome === "unanswered" ? "ask" : approved_by === undefined ? "none" : "allow";
  return { verdict, ...(gate !== undefined && { gate }), ...(rule !== undefined && { rule }), ...(by !== undefined && { by }) };
}

/** How the log marks what it left out: a long text, a long list, a deep value, a secret. */
const MARKS = /… \(\d+ characters\)$|^\((?:\d+ more|deeper)\)$|\[redacted[:\]]|=\*\*\*/;

/** Whether the log holds less than what was asked for. */
export function isCut(value: unknown): boolean {
  if (typeof value === "string") return MARKS.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, one]) => name === "(more)" || MARKS.test(name) || isCut(one));
}

import type { AuditEntry } from "../../../core/ports/audit.ts";

export interface PastObjection {
  readonly gate: string;
  readonly kind: "ask" | "deny";
  readonly rule?: string;
  readonly why?: string;
}

/** Everything that was said against a call. The log names all gates where there were several, and else the one that decided. */
export function objectionsOf(entry: AuditEntry): readonly PastObjection[] {
  if (entry.gate === undefined) return [];
  const wasAsked =
    entry.outcome === "unanswered" || entry.refused_by !== undefined || (entry.approved_by !== undefined && entry.approved_by !== "rules");
  return [
    {
      gate: entry.gate,
      kind: wasAsked || entry.outcome !== "denied" ? "ask" : "deny",
      ...(entry.rule !== undefined && { rule: entry.rule }),
      ...(entry.why !== undefined && { why: entry.why }),
    },
  ];
}

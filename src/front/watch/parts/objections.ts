import type { AuditEntry } from "../../../core/ports/audit.ts";

export interface PastObjection {
  readonly gate: string;
  readonly kind: "ask" | "deny";
  readonly rule?: string;
  readonly why?: string;
}

/** Everything that was said against a call. The log names all gates where there were several, and else the one that decided. */
export function objectionsOf(entry: AuditEntry): readonly PastObjection[] {
  const { gate, rule, why } = entry;
  if (entry.objections)
    return entry.objections.map((one) => ({
      gate: one.gate,
      kind: one.kind,
      ...(one.rule !== null && { rule: one.rule }),
      ...(one.gate === gate && why !== undefined && { why }),
    }));
  if (gate === undefined) return [];
  return [{ gate, kind: wasRefused(entry) ? "deny" : "ask", ...(rule !== undefined && { rule }), ...(why !== undefined && { why }) }];
}

/** By a gate. What a person refused was asked about. */
const wasRefused = ({ outcome, refused_by }: AuditEntry): boolean => outcome === "denied" && refused_by === undefined;

/** Something in the copies of audit logs that should not be there, or is missing. */
export interface FleetAuditProblem {
  /**
   * `line` is edited, removed, added or moved; `tail` is missing at the end, and the head says so; `cut` is missing though it was signed; `rewritten` is not what was
   * signed; `dropped` is a whole chain; `branch` is a file that two processes write, or that was cut; `checkpoint` is forged, changed or missing; `root` was kept and is
   * not there; `noted` was found by the machine that wrote the file.
   */
  readonly kind: "line" | "tail" | "cut" | "rewritten" | "dropped" | "branch" | "checkpoint" | "root" | "noted";
  /** The chain; null where it is about a checkpoint. */
  readonly writer: string | null;
  readonly line: number | null;
  readonly reason: string;
}

export interface Findings {
  readonly problems: readonly FleetAuditProblem[];
  readonly remarks: readonly string[];
  /** How many there are, kept or not. */
  readonly found: number;
  report(kind: FleetAuditProblem["kind"], reason: string, where?: { readonly writer?: string; readonly line?: number }): void;
  remark(text: string): void;
}

/** A log that was rewritten from its first line on has as many problems as lines. */
const KEPT = 100;

export function createFindings(): Findings {
  const problems: FleetAuditProblem[] = [];
  const remarks: string[] = [];
  let found = 0;
  return {
    problems,
    remarks,
    get found() {
      return found;
    },
    report(kind, reason, { writer = null, line = null }: { writer?: string | null; line?: number | null } = {}) {
      found += 1;
      if (problems.length < KEPT) problems.push({ kind, writer, line, reason });
    },
    remark(text) {
      if (remarks.length < KEPT) remarks.push(text);
    },
  };
}

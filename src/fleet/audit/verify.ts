import type { Pg } from "../../store/pg/pg.ts";
import { createFindings, type FleetAuditProblem } from "./findings.ts";
import { verifyChains } from "./verify-chains.ts";
import { type CheckpointChecks, type CheckpointCounts, verifyCheckpoints } from "./verify-checkpoints.ts";

/** What was found when the copies of a tenant's audit logs were checked. */
export interface FleetVerification extends CheckpointCounts {
  readonly tenant: string;
  readonly intact: boolean;
  readonly chains: number;
  /** Lines that were read. */
  readonly lines: number;
  /** Without a key a checkpoint proves nothing: whoever can change lines can make one. */
  readonly signatures: "checked" | "unchecked";
  /** The first hundred. */
  readonly problems: readonly FleetAuditProblem[];
  /** How many there are. */
  readonly found: number;
  /** Worth knowing, and no harm. */
  readonly remarks: readonly string[];
}

/** Lines first: what is signed while they are read stands for lines that came later. */
export async function verifyFleetAudit(db: Pg, checks: CheckpointChecks): Promise<FleetVerification> {
  const findings = createFindings();
  const counts = await verifyChains(db, checks.since, findings);
  const signed = await verifyCheckpoints(db, checks, findings);
  const { problems, remarks, found } = findings;
  return {
    tenant: db.tenant,
    intact: found === 0,
    ...counts,
    ...signed,
    signatures: checks.keys ? "checked" : "unchecked",
    problems,
    found,
    remarks,
  };
}

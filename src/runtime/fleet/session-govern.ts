import { type CentralConfig, readCentral } from "../../config/central.ts";
import type { Confirm } from "../../core/event.ts";
import type { Bus } from "../../core/ports/fleet/session.ts";
import { createFleetApprovals } from "../../fleet/govern/approvals.ts";
import { createFleetConfirm, type FleetConfirmParts } from "../../fleet/govern/confirm.ts";
import { openPersonQuotas } from "../../fleet/govern/person-quota.ts";
import { openPolicyFollower, type PolicyFollower } from "../../fleet/govern/policy-follower.ts";
import type { BeatAnswer } from "../../fleet/worker-queue.ts";
import type { Pg } from "../../store/pg/pg.ts";
import type { FleetSide } from "../runtime.ts";

/** How the sessions of a process are governed: by the policy of their tenant, by what people may use, and by other people's answers. */
export interface SessionGovernance {
  readonly policy: PolicyFollower;
  /** For `fleet` of a runtime or an agent. What is left of the person's calls is given back when it is closed. */
  open(session: GovernedSession): { readonly fleet: FleetSide; close(): Promise<void> };
  /** For `confirm` of a runtime or an agent. */
  confirmFor(session: AskingAnother): Confirm;
  /** The session is over: nobody needs the answers to its questions. */
  withdraw(session: string): Promise<void>;
  /** For `runWorker`: a worker that is more than one beat behind the policy takes nothing new. */
  mayTake(): boolean;
  onBeat(answer: Pick<BeatAnswer, "news">): void;
  close(): Promise<void>;
}

export interface GovernedSession {
  /** Who it works for now, without the tenant. */
  readonly person: () => string;
  /** The address of its repository: the policy may vouch for it. */
  readonly repo?: string | undefined;
}

export type AskingAnother = Pick<FleetConfirmParts, "session" | "person" | "redact" | "fence" | "workspace">;

export interface SessionGovernanceParts {
  /** Of the sessions' tenant. */
  readonly db: Pg;
  readonly bus: Bus | null;
  readonly fleet: { readonly lease_ms: number; readonly approval_secs: number };
  readonly warn: (message: string) => void;
}

/** Throws where the policy cannot be read: nobody knows by which rules to work. */
export async function openSessionGovernance({ db, bus, fleet, warn }: SessionGovernanceParts): Promise<SessionGovernance> {
  let read: CentralConfig | null = null;
  const check = (found: Parameters<typeof readCentral>[0]) => {
    read = readCentral(found);
  };
  const policy = await openPolicyFollower({ db, bus, beatMs: fleet.lease_ms / 4, check, warn });
  const quotas = openPersonQuotas(db);
  const approvals = createFleetApprovals(db, bus);
  const waitMs = () => (approvalSecs(read) ?? fleet.approval_secs) * 1000;
  return {
    policy,
    open({ person, repo }) {
      const quota = quotas.open(person);
      return { fleet: { policy, quota, ...(repo !== undefined && { repo }) }, close: quota.close };
    },
    confirmFor: (session) => createFleetConfirm({ ...session, db, bus, waitMs }),
    async withdraw(session) {
      await approvals.withdraw(session);
    },
    mayTake: () => !policy.isBehind(),
    onBeat({ news }) {
      const version = (news.policy as Record<string, unknown> | undefined)?.[db.tenant];
      if (typeof version === "number") policy.heard(version);
    },
    async close() {
      await policy.close();
      await quotas.close();
    },
  };
}

const approvalSecs = (central: CentralConfig | null): number | undefined =>
  (central?.data.fleet as { approval_secs?: number } | undefined)?.approval_secs;

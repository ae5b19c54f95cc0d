import type { Answer } from "../../core/event.ts";
import type { FleetRole } from "../../core/ports/fleet/person.ts";
import { openBus } from "../../fleet/bus/bus.ts";
import { APPROVAL_WORDS, createFleetApprovals, type FleetApproval } from "../../fleet/govern/approvals.ts";
import { createPolicies, type PolicyVersion, type StoredPolicy } from "../../fleet/govern/policies.ts";
import { createFleetTokens, type FleetToken } from "../../fleet/govern/tokens.ts";
import { openAnsweringPg } from "./answering-pg.ts";
import { type CheckedBundle, checkBundleFolder } from "./policy-bundle.ts";

export type { FleetRole } from "../../core/ports/fleet/person.ts";
export type { FleetApproval } from "../../fleet/govern/approvals.ts";
export type { PolicyVersion } from "../../fleet/govern/policies.ts";
export type { FleetToken } from "../../fleet/govern/tokens.ts";

/** What a person at a terminal does who may reach the database itself, as the role `zeph_gateway`. */
export interface FleetGovernor {
  readonly by: string;
  approvals(): Promise<readonly FleetApproval[]>;
  findApproval(id: string): Promise<FleetApproval | null>;
  /** Null: it counted. Otherwise why not. */
  answer(approval: FleetApproval, answer: Answer, reason: string | undefined): Promise<string | null>;
  proposals(): Promise<readonly FleetApproval[]>;
  /** Throws a ConfigError where something is wrong with it; then nothing is pushed. */
  pushPolicy(folder: string): Promise<CheckedBundle & { readonly version: number }>;
  rollbackPolicy(version: number): Promise<number | null>;
  policyHistory(): Promise<readonly PolicyVersion[]>;
  policy(version?: number): Promise<StoredPolicy | null>;
  addToken(person: string, roles: readonly FleetRole[], until: Date | undefined): Promise<{ readonly id: string; readonly token: string }>;
  tokens(): Promise<readonly FleetToken[]>;
  revokeToken(id: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface FleetGovernorPlace {
  readonly store: string;
  readonly bus: string;
  readonly tenant: string;
  /** The name that stands in the rows: that of the system's user. */
  readonly by: string;
  readonly warn: (message: string) => void;
}

export async function openFleetGovernor({ store, bus: busUrl, tenant, by, warn }: FleetGovernorPlace): Promise<FleetGovernor> {
  const db = await openAnsweringPg({ url: store, tenant, role: "zeph_gateway", max: 2 });
  const bus = await openBus({ url: busUrl, db: { url: store }, onTrouble: warn });
  const approvals = createFleetApprovals(db, bus);
  const policies = createPolicies(db, bus);
  const tokens = createFleetTokens(db);
  return {
    by,
    approvals: () => approvals.open(),
    findApproval: (id) => approvals.find(id),
    async answer({ id, digest }, answer, reason) {
      const end = await approvals.answer(id, { answer, digest, by, reason });
      return end === "counted" ? null : APPROVAL_WORDS[end];
    },
    proposals: () => approvals.proposals(),
    async pushPolicy(folder) {
      const checked = await checkBundleFolder(folder, (await policies.newest()) + 1);
      return { ...checked, version: await policies.push(checked.bundle, by) };
    },
    rollbackPolicy: (version) => policies.rollback(version, by),
    policyHistory: () => policies.history(),
    policy: (version) => policies.get(version),
    addToken: (person, roles, until) => tokens.add({ person, roles, until, by }),
    tokens: () => tokens.list(),
    revokeToken: (id) => tokens.revoke(id),
    async close() {
      await bus.close();
      await db.close();
    },
  };
}

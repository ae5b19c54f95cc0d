import { anomalyMemory } from "../../gates/anomaly.ts";
import { permissionMemory } from "../../gates/permissions/permissions.ts";
import { protectedMemory } from "../../gates/permissions/protected.ts";
import type { QuotaMemory } from "../../gates/quota.ts";
import { scopedMemory } from "../../gates/scoped/scoped.ts";
import { sentinelMemory } from "../../gates/sentinel/sentinel.ts";
import { strangerFilesMemory } from "../../gates/stranger-files.ts";
import { trustMemory } from "../../gates/trust.ts";
import { utilityMemory } from "../../gates/utility/utility.ts";
import type { VerifierMemory } from "../../gates/verifiers.ts";

/** What gates remember while their rules are exchanged: counts, grants, sequences. */
export const gateMemory = () => ({
  quota: new Map() as QuotaMemory,
  scoped: scopedMemory(),
  trust: trustMemory(),
  permissions: permissionMemory(),
  protected: protectedMemory(),
  verifiers: new Map() as VerifierMemory,
  strangerFiles: strangerFilesMemory(),
  sentinel: sentinelMemory(),
  anomaly: anomalyMemory(),
  utility: utilityMemory(),
});
export type GateMemory = ReturnType<typeof gateMemory>;

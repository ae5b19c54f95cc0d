import type { Store } from "../../core/ports/store.ts";
import type { AuditShipping } from "../../fleet/audit/shipping.ts";
import type { StartConfig } from "../rules/live-config.ts";
import { sharedUrlOf } from "../settings/shared-url.ts";

/** Where audit lines are to be copied to: the database that is the store, if it is one. Null for nowhere. */
export function shippingOf(
  { store, audit, fleet }: Pick<StartConfig, "store" | "audit" | "fleet">,
  given: string | Store | undefined,
): AuditShipping | null {
  const url = sharedUrlOf(given, store.url);
  return url === "" || audit.ship === "off" ? null : { url, tenant: fleet.tenant, mode: audit.ship };
}

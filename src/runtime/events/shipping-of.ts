import type { Store } from "../../core/ports/store.ts";
import type { AuditShipping } from "../../fleet/audit/shipping.ts";
import { isStoreUrl } from "../../store/pg/place.ts";
import type { StartConfig } from "../rules/live-config.ts";

/** Where audit lines are to be copied to: the database that is the store, if it is one. Null for nowhere. */
export function shippingOf(
  { store, audit, fleet }: Pick<StartConfig, "store" | "audit" | "fleet">,
  given?: string | Store,
): AuditShipping | null {
  // A program that names a store does not want the configured one.
  const url = given === undefined ? store.url : typeof given === "string" && isStoreUrl(given) ? given : "";
  return url === "" || audit.ship === "off" ? null : { url, tenant: fleet.tenant, mode: audit.ship };
}

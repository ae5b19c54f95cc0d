import type { Store } from "../../core/ports/store.ts";
import { isStoreUrl } from "../../store/pg/place.ts";

/** The database that is the store, if it is one; else empty. A program that names a store does not want the configured one. */
export function sharedUrlOf(given: string | Store | undefined, configured: string): string {
  if (given === undefined) return configured;
  return typeof given === "string" && isStoreUrl(given) ? given : "";
}

import type { Bus } from "../../core/ports/fleet/session.ts";
import { isStoreUrl, readStoreUrl } from "../../store/pg/place.ts";
import { openLocalBus } from "./local-bus.ts";
import { openNatsBus } from "./nats-bus.ts";
import { isNatsUrl } from "./nats-url.ts";
import { openPgBus } from "./pg-bus.ts";

export interface BusOptions {
  /** `nats://…`, `postgres://…`, or empty: then the store carries the hints, and without a store this process alone hears them. */
  readonly url?: string;
  readonly db?: { readonly url: string };
  /** Whose hints these are. Without a name it is the store's schema, so that stores of one server keep apart. */
  readonly fleet?: string;
  /** Words for the operator when the server is away, and when it is back. */
  readonly onTrouble?: ((words: string) => void) | undefined;
}

/** Waits for no server: it is connected to meanwhile. */
export async function openBus({ url = "", db, fleet, onTrouble }: BusOptions): Promise<Bus> {
  const named = fleet ?? (db ? readStoreUrl(db.url).schema : "main");
  if (!/^[\w-]{1,63}$/.test(named)) throw new RangeError(`A fleet is named with up to 63 letters, digits, "-" and "_": "${named}" is not.`);
  if (isNatsUrl(url)) return openNatsBus({ url, fleet: named, onTrouble });
  const store = url === "" ? db?.url : url;
  if (store === undefined) return openLocalBus(named);
  if (isStoreUrl(store)) return openPgBus({ url: store, fleet: named, onTrouble });
  throw new RangeError("A bus is on NATS (nats://host:4222) or on PostgreSQL (postgres://user@host/database); nothing else is known.");
}

import type { Authenticator } from "../../../core/ports/fleet/person.ts";
import { isPeerBelow } from "../../../files/agent-process.ts";
import { openBus } from "../../../fleet/bus/bus.ts";
import { createAuthenticator } from "../../../fleet/govern/authenticator.ts";
import { openFleetMetrics } from "../../../fleet/metrics.ts";
import { createTaskQueue } from "../../../fleet/queue.ts";
import { type GatewayMcp, type GatewayServed, serveGateway } from "../../../front/gateway/gateway.ts";
import { isTransient } from "../../../store/pg/error.ts";
import { assertKnownHost } from "../../../store/pg/known-host.ts";
import { waitWithin } from "../../../text/wait-within.ts";
import { openClosers } from "../../close.ts";
import type { FleetSettings } from "../fleet-settings.ts";
import { createGatewayDoor } from "./gateway-door.ts";
import { readOidcSettings } from "./oidc-settings.ts";
import { openTenantDatabases } from "./tenant-databases.ts";

export interface GatewayOptions {
  readonly settings: Pick<FleetSettings, "store" | "bus" | "fleet" | "at">;
  /** People of this tenant alone are let in; null: everybody who has a token. */
  readonly tenant: string | null;
  readonly host: string;
  readonly port: number;
  /** The address that people use, where a proxy stands before this server. */
  readonly publicly: URL | null;
  readonly mcp: GatewayMcp;
  readonly warn: (words: string) => void;
}

const READY_MS = 3000;

/** Serves until it is closed. Rejects when the port cannot be had, or the store is none. */
export async function openGateway({ settings, tenant, host, port, publicly, mcp, warn }: GatewayOptions): Promise<GatewayServed> {
  const { store: url, fleet, at } = settings;
  await assertKnownHost(url);
  const closers = openClosers();
  try {
    const databases = openTenantDatabases(url);
    closers.add(databases.close);
    const own = databases.of(tenant ?? fleet.tenant);
    // What is wrong with the address, the tables or the roles is said now. A server that is away may come back.
    await own.one("select 1").catch((error: Error) => {
      if (!isTransient(error)) throw error;
      warn(error.message);
    });
    const metrics = openFleetMetrics();
    closers.add(async () => metrics.close());
    metrics.watchQueue(async () => (await createTaskQueue(own).depths()).filter((depth) => tenant === null || depth.tenant === tenant));
    const bus = await openBus({ url: settings.bus, db: { url }, onTrouble: warn });
    closers.add(() => bus.close());
    const people = onlyOf(tenant, createAuthenticator({ db: own, oidc: readOidcSettings(fleet) }));
    const served = await serveGateway({
      host,
      port,
      publicly,
      people,
      mcp,
      warn,
      openDoor: (person) =>
        createGatewayDoor({ db: databases.of(person.tenant), bus, person, maxQueued: fleet.max_queued, home: fleet.tenant }),
      isBelowAgent: (socket) => isPeerBelow(socket, { log: at.audit, process: process.pid }),
      async readiness() {
        const asked = own.one("select 1").then(
          () => null,
          () => "The database of the fleet is away.",
        );
        return waitWithin(asked, READY_MS, "The database of the fleet does not answer.");
      },
    });
    closers.add(served.close);
    return { url: served.url, close: closers.close };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Somebody else's people are nobody here. */
const onlyOf = (tenant: string | null, people: Authenticator): Authenticator => ({
  ...people,
  async check(authorization) {
    const person = await people.check(authorization);
    return tenant === null || person?.tenant === tenant ? person : null;
  },
});

import { loadConfig } from "../../config/load.ts";
import { ConfigError } from "../../config/problem.ts";
import type { Config } from "../../config/schema.ts";
import type { FleetConfig } from "../../fleet/config.ts";
import { isStoreUrl, wrongTenant } from "../../store/pg/place.ts";
import { type StatePaths, statePaths } from "../../store/state-paths.ts";

/** Which fleet is meant, and how it is set on this machine. */
export interface FleetSettings {
  /** The shared database. */
  readonly store: string;
  readonly bus: string;
  readonly tenant: string;
  readonly fleet: FleetConfig;
  readonly at: StatePaths;
  /** Whether and when audit lines are copied to the database. */
  readonly ship: Config["audit"]["ship"];
  readonly warnings: readonly string[];
}

/** What was typed wins over the configuration. A project's own file says nothing about fleets. Throws a ConfigError where no database is named. */
export function readFleetSettings(
  typed: { readonly store: string; readonly bus: string; readonly tenant: string | null },
  settings: { readonly config?: string; readonly set?: readonly string[] } = {},
): FleetSettings {
  const { home } = statePaths({ store: "", audit: "" });
  const { config, warnings } = loadConfig({
    cwd: process.cwd(),
    home,
    env: process.env,
    flags: settings.set ?? [],
    trusted: () => false,
    ...(settings.config !== undefined && { userFile: settings.config }),
  });
  const store = typed.store || config.store.url;
  if (!isStoreUrl(store))
    throw new ConfigError([
      {
        message:
          store === ""
            ? "Name the database that the fleet shares: --store postgres://user@host/database, ZEPH_STORE, or url under [store]."
            : "The database that the fleet shares is named by its address: postgres://user@host/database.",
      },
    ]);
  const tenant = typed.tenant ?? config.fleet.tenant;
  const wrong = wrongTenant(tenant);
  if (wrong !== null) throw new ConfigError([{ message: wrong }]);
  return {
    store,
    bus: typed.bus || config.fleet.bus,
    tenant,
    fleet: config.fleet,
    at: statePaths({ store: config.store.path, audit: config.audit.path }),
    ship: config.audit.ship,
    warnings,
  };
}

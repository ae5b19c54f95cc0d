import { isAbsolute, join } from "node:path";
import type { AuditShipping } from "../../../fleet/audit/shipping.ts";
import { findSystemUser } from "../../../fleet/tenant/system-user.ts";
import { tenantEnvironment } from "../../../fleet/tenant/tenant-processes.ts";
import { slugOf } from "../../../fleet/workspace/slug.ts";
import type { GatewayMcp } from "../../../front/gateway/gateway.ts";
import { isGatewayChild, serveMcpForGateway } from "../../../front/gateway/mcp/child.ts";
import { openMcpProcesses } from "../../../front/gateway/mcp/processes.ts";
import type { McpHttp } from "../../../front/mcp-server/mcp-http.ts";
import { untilAborted } from "../../../text/abort.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import { openClosers } from "../../close.ts";
import type { ServedSettings } from "../../serve/served-session.ts";
import { ServingError } from "../../serve/start.ts";
import { openCheckpointSigning } from "../audit-copies.ts";
import type { FleetSettings } from "../fleet-settings.ts";
import { openGateway } from "./open-gateway.ts";
import { openTenantMcp } from "./tenant-mcp.ts";

export interface GatewayProcessOptions {
  readonly settings: FleetSettings;
  /** What runtimes of MCP sessions are opened with. */
  readonly runtime: ServedSettings & { readonly config?: string };
  /** Null: people of all tenants, with a process for the MCP sessions of each. */
  readonly tenant: string | null;
  readonly host: string;
  readonly port: number;
  readonly publicly: URL | null;
  /** Folders where MCP sessions of the tenant may work. */
  readonly folders: readonly string[];
  readonly most: number | undefined;
  /** How this program is started again, for one tenant. */
  readonly command: readonly string[];
  readonly signal: AbortSignal;
  readonly say: (words: string) => void;
  readonly warn: (words: string) => void;
  /** It listens. */
  readonly ready: (url: string) => void;
}

const END_MS = 8000;

/** `zeph serve`: serves until it is stopped. */
export async function runGatewayProcess(options: GatewayProcessOptions): Promise<void> {
  const { settings, tenant, signal, warn, say } = options;
  if (isGatewayChild() && tenant !== null) return serveMcpForGateway(() => openMcp(options, tenant), signal);
  const closers = openClosers();
  try {
    const mcp = tenant === null ? forAll(options) : forOne(await openMcp(options, tenant));
    closers.add(mcp.close);
    const { host, port, publicly } = options;
    const served = await openGateway({ settings, tenant, host, port, publicly, mcp, warn }).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") throw error;
      throw new ServingError(`${host}:${port} cannot be served: ${error.message}. Another --port may be free; 0 takes any that is.`);
    });
    closers.add(served.close);
    const signing = openCheckpointSigning({ url: settings.store, role: "zeph_gateway", fleet: settings.fleet, say, warn });
    if (signing) closers.add(signing.close);
    options.ready(served.url);
    await untilAborted(signal);
  } finally {
    await waitAtMost(closers.close(), END_MS);
  }
}

const openMcp = ({ settings, runtime, folders, most, warn }: GatewayProcessOptions, tenant: string): Promise<McpHttp> =>
  openTenantMcp({
    settings,
    tenant,
    runtime,
    folders,
    root: join(usualRoot(settings.at.home), slugOf(tenant)),
    most,
    ship: shippingFor(settings, tenant),
    warn,
  });

const forOne = (mcp: McpHttp): GatewayMcp => ({
  answer: (request, response, url, { person }) => mcp.answer(request, response, url, person),
  close: mcp.close,
});

const forAll = ({ settings, command, warn }: GatewayProcessOptions): GatewayMcp => {
  const environment = { ...process.env, ZEPH_STORE: settings.store, ZEPH_BUS: settings.bus };
  return openMcpProcesses({
    warn,
    launch(tenant) {
      const { user: name, config, env } = settings.fleet.tenants[tenant] ?? {};
      const user = name === undefined ? null : findSystemUser(name);
      return {
        command: [...command, "--tenant", tenant, ...(config === undefined ? [] : ["--config", config])],
        env: tenantEnvironment(environment, env, tenant, user),
        user: user && { uid: user.uid, gid: user.gid },
      };
    },
  });
};

function shippingFor({ store, ship }: FleetSettings, tenant: string): AuditShipping | null {
  return ship === "off" ? null : { url: store, tenant, mode: ship, role: "zeph_gateway" };
}

/** Everybody's folders, where none are named. */
function usualRoot(home: string): string {
  const given = process.env.XDG_DATA_HOME;
  return join(given && isAbsolute(given) ? given : join(home, ".local", "share"), "zeph-gateway");
}

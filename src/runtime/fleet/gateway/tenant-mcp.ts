import { join } from "node:path";
import { fleetCallerId } from "../../../core/ports/fleet/person.ts";
import type { AuditShipping } from "../../../fleet/audit/shipping.ts";
import { openBus } from "../../../fleet/bus/bus.ts";
import { slugOf } from "../../../fleet/workspace/slug.ts";
import { INSTRUCTIONS } from "../../../front/mcp-server/greeting.ts";
import { createMcpHttp, type McpHttp } from "../../../front/mcp-server/mcp-http.ts";
import { SessionRefused } from "../../../front/mcp-server/offer.ts";
import { equipOwnTexts } from "../../../front/mcp-server/own-texts.ts";
import { openMcpSession } from "../../../front/mcp-server/session.ts";
import { createWorkspaces, type Workspaces } from "../../../front/mcp-server/workspaces.ts";
import { makeFolder } from "../../../store/folder.ts";
import { openSharedStore } from "../../../store/pg/open-shared.ts";
import { openPg } from "../../../store/pg/pg.ts";
import { openClosers } from "../../close.ts";
import { createTracing } from "../../events/telemetry.ts";
import { createFolderRefusal } from "../../serve/folder-refusal.ts";
import { openWithin } from "../../serve/open-within.ts";
import type { GovernedServing, ServedSettings } from "../../serve/served-session.ts";
import type { FleetSettings } from "../fleet-settings.ts";
import { openSessionGovernance, type SessionGovernance } from "../session-govern.ts";

const tracing = createTracing();

export interface TenantMcpOptions {
  readonly settings: Pick<FleetSettings, "store" | "bus" | "fleet" | "at">;
  readonly tenant: string;
  /** What runtimes are opened with. */
  readonly runtime: ServedSettings;
  /** Folders of the whole tenant; none given: everybody has one of their own below `root`. */
  readonly folders: readonly string[];
  readonly root: string;
  /** Sessions at a time. */
  readonly most?: number | undefined;
  readonly ship: AuditShipping | null;
  readonly warn: (words: string) => void;
}

/** MCP sessions of one tenant's people, in this process: on the shared store, under the fleet's policy, and with other people's answers. */
export async function openTenantMcp(options: TenantMcpOptions): Promise<McpHttp> {
  const { settings, tenant, runtime, folders, root, most, ship, warn } = options;
  const { store: url, fleet, at } = settings;
  const closers = openClosers();
  const workspacesOf = placesOf(folders, root, createFolderRefusal(at, INSTEAD));
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  closers.add(db.close);
  const store = openSharedStore({ url, tenant, role: "zeph_gateway", local: at.store });
  closers.add(store.close);
  const bus = await openBus({ url: settings.bus, db: { url }, onTrouble: warn });
  closers.add(() => bus.close());
  // Without the policy nobody knows by which rules to work, so it is asked for again with the next session.
  let governance: Promise<SessionGovernance> | null = null;
  const govern = (): Promise<SessionGovernance> => {
    governance ??= openSessionGovernance({ db, bus, fleet, warn }).catch((error) => {
      governance = null;
      throw error;
    });
    return governance;
  };
  closers.add(async () => (await governance?.catch(() => null))?.close());
  const mcp = createMcpHttp({
    ...(most !== undefined && { most }),
    workspacesOf,
    // Nobody is asked through a client here, so there is nothing that a process below an agent could answer.
    isBelowAgent: () => false,
    open: (id, workspace, person) =>
      openMcpSession({
        instructions: INSTRUCTIONS,
        equip: equipOwnTexts,
        warn,
        tracing,
        async open() {
          const rules = await govern();
          if (!rules.mayTake()) throw new SessionRefused("Nobody can tell now whether the rules of the fleet are the newest. Try again.");
          const governed = serveGoverned(rules, { session: `mcp-${id}`, tenant, person, workspace, ship });
          try {
            return await openWithin(workspacesOf(person), { id, workspace, settings: runtime, store, warn, governed });
          } catch (error) {
            await governed.close();
            throw error;
          }
        },
      }),
  });
  closers.add(mcp.close);
  return { ...mcp, close: closers.close };
}

interface GovernedPerson {
  readonly session: string;
  readonly tenant: string;
  readonly person: string;
  readonly workspace: string;
  readonly ship: AuditShipping | null;
}

function serveGoverned(governance: SessionGovernance, { session, tenant, person, workspace, ship }: GovernedPerson): GovernedServing {
  const { fleet, close } = governance.open({ person: () => person });
  return {
    caller: fleetCallerId({ tenant, person }),
    options: { fleet, ship },
    confirm: (redact) => governance.confirmFor({ session, person: () => person, redact, workspace }),
    async close() {
      await close();
      // A server that is away ends the question by its time.
      await governance.withdraw(session).catch(() => {});
    },
  };
}

function placesOf(folders: readonly string[], root: string, refusal: Workspaces["refusal"]): (person: string) => Workspaces {
  if (folders.length > 0) {
    const all = createWorkspaces(folders, folders[0]!, refusal);
    return () => all;
  }
  return (person) => {
    const own = join(root, slugOf(person));
    makeFolder(own);
    return createWorkspaces([own], own, refusal);
  };
}

const INSTEAD = "Name a folder of a project with --workspace when the gateway starts.";

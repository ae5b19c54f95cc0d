import { keyFiles } from "../../config/api-keys.ts";
import { userConfigPath } from "../../config/paths.ts";
import { parseConfigToml, readConfigText } from "../../config/read.ts";
import { findKept, forgetFetched, keptRoots, removeKept } from "../../host/serving/server-folders.ts";
import { keptName } from "../../mcp/client/connection/program.ts";
import { createTokens } from "../../mcp/client/oauth/tokens.ts";
import { KEPT_AS, keptOffers, type OfferCounts } from "../../mcp/client/offers/stored-offers.ts";
import { serverIdentity } from "../../mcp/client/trust/definitions.ts";
import { shownAt } from "../../mcp/client/trust/secrets.ts";
import type { ServerConfig } from "../../mcp/config.ts";
import { ownFiles, type StatePaths, statePaths } from "../../store/state-paths.ts";
import { type FileSettings, openStores } from "../settings/stores.ts";
import { type Settled, settled } from "./mcp-paths.ts";

/** The servers of the configuration and what is known of them, without talking to any. */
export interface McpDesk {
  readonly userFile: string;
  /** The servers in the person's own file, whether they are in force or not. */
  readonly own: readonly Pick<ServerConfig, "name" | "url">[];
  /** The project's file, if it names servers. Where it is trusted its list replaces the person's. */
  readonly projectList: string | null;
  /** A server with whole paths, as it is written down. */
  settle<E extends Parameters<typeof settled>[0]>(entry: E): Settled<E>;
  readonly warnings: readonly string[];
  readonly servers: readonly ServerConfig[];
  /** What was agreed to, and when last. */
  agreed(server: ServerConfig): Promise<{ readonly tools: number; readonly since: number | null; readonly offers: OfferCounts }>;
  /** Forgets what was agreed to, and what signing in brought. */
  forget(server: Pick<ServerConfig, "name" | "url">): Promise<void>;
  /** Forgets what signing in brought. False when there was nothing. */
  signOut(server: Pick<ServerConfig, "name" | "url">): boolean;
  /** The folders with what servers of this name kept. */
  kept(name: string): readonly string[];
  dropKept(name: string): void;
  /** Its packages are fetched again when it is next started. */
  fetchAnew(server: ServerConfig): void;
  close(): Promise<void>;
}

export function openMcpDesk(cwd: string, settings: FileSettings): McpDesk {
  const { config, userFile, warnings, store, at, placeOf } = openStores(settings, cwd);
  const { pins } = store;
  const setIn = placeOf(["mcp", "servers"]).file;
  const roots = keptRoots(at.store, at.home, process.env);
  const signOut: McpDesk["signOut"] = ({ name, url }) => url !== undefined && createTokens(at.tokens, () => {}).remove({ name, url });
  return {
    userFile: userFile!,
    warnings,
    servers: config.mcp.servers,
    own: ownServers(userFile!),
    projectList: setIn === undefined || setIn === userFile ? null : setIn,
    settle: (entry) => settled(entry, { cwd, home: at.home, own: privatePlaces(at, userFile!) }),
    async agreed(server) {
      const known = await pins.of(serverIdentity(server));
      return {
        tools: known.filter(({ tool }) => tool !== "").length,
        offers: keptOffers(server.name, known.find(({ tool }) => tool === KEPT_AS)?.definition ?? "{}").counts,
        since: known.length === 0 ? null : Math.max(...known.map(({ since }) => since)),
      };
    },
    async forget(server) {
      // Under whatever program or address it had that name.
      for (const known of await pins.servers()) if (known.startsWith(`${server.name}:`)) await pins.forget(known);
      signOut(server);
    },
    signOut,
    kept: (name) => findKept(roots, name),
    dropKept: (name) => removeKept(roots, name),
    fetchAnew: (server) => forgetFetched(roots, keptName(server)),
    close: store.close,
  };
}

/** Where Zeph's things are when no setting says otherwise. */
export function standardPlaces(): { readonly at: StatePaths; readonly userFile: string } {
  const at = statePaths({ store: "", audit: "" });
  return { at, userFile: userConfigPath({ home: at.home, env: process.env }) };
}

/** What no server may be let near. */
export const privatePlaces = (at: StatePaths, userFile: string): string[] =>
  ownFiles(at, [...keyFiles({ home: at.home, env: process.env }), at.tokens, userFile]);

function ownServers(userFile: string): McpDesk["own"] {
  const text = readConfigText(userFile);
  const { mcp } = (text === null ? {} : parseConfigToml(userFile, text)) as { readonly mcp?: { readonly servers?: unknown } };
  const list: readonly unknown[] = Array.isArray(mcp?.servers) ? mcp.servers : [];
  return list.flatMap((one) => {
    const { name, url } = Object(one) as Record<string, unknown>;
    return typeof name === "string" ? [{ name, ...(typeof url === "string" && { url }) }] : [];
  });
}

/** A server as a person may see it. */
export const serverPlace = (server: ServerConfig): { readonly kind: "stdio" | "http"; readonly at: string } => ({
  kind: server.url === undefined ? "stdio" : "http",
  at: shownAt(server),
});

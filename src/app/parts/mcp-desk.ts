import { openTokens } from "../../mcp/client/oauth-tokens.ts";
import { identityOf } from "../../mcp/client/pins.ts";
import { shownAt } from "../../mcp/client/secrets.ts";
import type { ServerConfig } from "../../mcp/config.ts";
import { type FileSettings, openStores } from "../open.ts";

/** The servers of the configuration and what is known of them, without talking to any. */
export interface McpDesk {
  readonly userFile: string;
  readonly warnings: readonly string[];
  readonly servers: readonly ServerConfig[];
  /** What was agreed to, and when last. */
  agreed(server: ServerConfig): Promise<{ readonly tools: number; readonly since: number | null }>;
  /** Forgets what was agreed to, and what signing in brought. */
  forget(server: Pick<ServerConfig, "name" | "url">): Promise<void>;
  /** Forgets what signing in brought. False when there was nothing. */
  signOut(server: Pick<ServerConfig, "name" | "url">): boolean;
  close(): Promise<void>;
}

export function openMcpDesk(cwd: string, settings: FileSettings): McpDesk {
  const { config, userFile, warnings, store, at } = openStores(settings, cwd);
  const { pins } = store;
  const signOut: McpDesk["signOut"] = ({ name, url }) => url !== undefined && openTokens(at.tokens, () => {}).remove({ name, url });
  return {
    userFile: userFile!,
    warnings,
    servers: config.mcp.servers,
    async agreed(server) {
      const known = await pins.of(identityOf(server));
      return { tools: known.length, since: known.length === 0 ? null : Math.max(...known.map(({ since }) => since)) };
    },
    async forget(server) {
      // Under whatever program or address it had that name.
      for (const known of await pins.servers()) if (known.startsWith(`${server.name}:`)) await pins.forget(known);
      signOut(server);
    },
    signOut,
    close: store.close,
  };
}

/** A server as a person may see it. */
export const serverPlace = (server: ServerConfig): { readonly kind: "stdio" | "http"; readonly at: string } => ({
  kind: server.url === undefined ? "stdio" : "http",
  at: shownAt(server),
});

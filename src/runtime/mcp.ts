import { isDeepStrictEqual } from "node:util";
import type { KeyReader } from "../config/api-keys.ts";
import type { Clients, ClientsParts, ServerState } from "../mcp/client/clients.ts";
import type { ServerConfig } from "../mcp/config.ts";

/** The servers a runtime has, and what a person may do about them. */
export interface Mcp extends Clients {
  /** Where relative paths of a server that is typed in begin. */
  readonly workspace: string;
  /** The configuration names other servers: those that are gone or changed go, those that are new or changed come. Others stay as they are. */
  exchange(before: readonly ServerConfig[], now: readonly ServerConfig[]): void;
  /** One that the person named: as with those of the configuration, `${NAME}` in it stands for a key of theirs. `add` takes everything as it is. */
  addOwn(server: ServerConfig): Promise<ServerState>;
}

export interface McpParts extends ClientsParts {
  /** Where `${NAME}` in the variables and headers of a server is looked up. */
  readonly keys: KeyReader;
}

/** Nothing of the protocol is read before there is a server to talk to. */
export async function openMcp(parts: McpParts): Promise<Mcp> {
  const none: Pick<Clients, "states" | "drift"> = { states: () => [], drift: () => [] };
  const { keys, servers, ...rest } = parts;
  const filled = async (server: ServerConfig) => (await import("./features/mcp-keys.ts")).withKeys(server, keys, parts.warn);
  let opening: Promise<Clients> | null = null;
  let opened: Clients | null = null;
  const clients = async () => {
    opening ??= Promise.all([import("../mcp/client/clients.ts"), ...servers.map(filled)]).then(([{ openClients }, ...own]) =>
      openClients({ ...rest, servers: own }),
    );
    opened = await opening;
    return opened;
  };
  if (servers.length > 0) await clients();
  const named = (servers: readonly ServerConfig[]) => new Map(servers.map((server) => [server.name, server]));
  let exchanged: Promise<unknown> = Promise.resolve();
  return {
    workspace: parts.roots[0] ?? "/",
    exchange(before, now) {
      const [old, fresh] = [named(before), named(now)];
      const isSame = (name: string) => isDeepStrictEqual(old.get(name), fresh.get(name));
      const going = [...old.keys()].filter((name) => !isSame(name));
      const coming = [...fresh.values()].filter(({ name }) => !isSame(name));
      if (going.length + coming.length === 0) return;
      const work = async () => {
        const open = await clients();
        for (const name of going) await open.remove(name);
        await Promise.all(coming.map(async (server) => open.add(await filled(server))));
      };
      exchanged = exchanged.then(work).catch((error) => parts.warn(`MCP servers could not be exchanged: ${(error as Error).message}`));
    },
    states: () => (opened ?? none).states(),
    drift: (name) => (opened ?? none).drift(name),
    meet: async (name) => opened?.meet(name),
    connect: async (name) => opened?.connect(name),
    add: async (server, origin = "brought") => (await clients()).add(server, origin),
    addOwn: async (server) => (await clients()).add(await filled(server)),
    remove: async (name) => (await opened?.remove(name)) ?? false,
    accept: async (name, tools) => (await clients()).accept(name, tools),
    login: async (name, show, signal) => (await clients()).login(name, show, signal),
    logout: async (name) => (await clients()).logout(name),
    offers: {
      prompts: (server) => opened?.offers.prompts(server) ?? [],
      resources: (server) => opened?.offers.resources(server) ?? [],
      prompt: async (...given) => (await clients()).offers.prompt(...given),
      read: async (...given) => (await clients()).offers.read(...given),
      suggest: async (...given) => opened?.offers.suggest(...given) ?? [],
    },
    async close() {
      // Whoever is just being added is closed with the others, and one that came after that again.
      await opened?.close();
      await exchanged;
      await opened?.close();
    },
  };
}

import type { Clients, ClientsParts } from "../mcp/client/clients.ts";

/** The servers a runtime has, and what a person may do about them. */
export interface Mcp extends Clients {}

/** Nothing of the protocol is read before there is a server to talk to. */
export async function openMcp(parts: ClientsParts): Promise<Mcp> {
  const none: Pick<Clients, "states" | "drift"> = { states: () => [], drift: () => [] };
  let opened: Clients | null = parts.servers.length > 0 ? await open(parts) : null;
  const clients = async () => {
    opened ??= await open(parts);
    return opened;
  };
  return {
    states: () => (opened ?? none).states(),
    drift: (name) => (opened ?? none).drift(name),
    connect: async (name) => opened?.connect(name),
    add: async (server) => (await clients()).add(server),
    remove: async (name) => (await opened?.remove(name)) ?? false,
    accept: async (name, tools) => (await clients()).accept(name, tools),
    login: async (name, show, signal) => (await clients()).login(name, show, signal),
    logout: async (name) => (await clients()).logout(name),
    close: async () => opened?.close(),
  };
}

const open = async (parts: ClientsParts): Promise<Clients> => (await import("../mcp/client/clients.ts")).openClients(parts);

import { ToolError } from "../../core/error.ts";
import type { Elicit } from "../../core/ports/elicitation.ts";
import type { Sampling } from "../../core/ports/mcp/sampling.ts";
import type { Serve } from "../../core/ports/served.ts";
import type { Tracing } from "../../core/ports/span.ts";
import type { Pins } from "../../core/ports/store.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { RetryConfig } from "../../core/retry.ts";
import type { Toolset } from "../../core/tool.ts";
import type { Trust } from "../../core/turn.ts";
import { didYouMean } from "../../text/nearest.ts";
import type { ServerConfig } from "../config.ts";
import { createOffers, type Offers } from "./offers/offers.ts";
import { openServer, type Server } from "./server.ts";
import { findMentions } from "./trust/mentions.ts";

/** MCP servers as toolsets. Their tools are called through the door like any other. */
export interface Clients {
  states(): readonly ServerState[];
  /** Connects those of which nothing is known yet, or this one if it is such, and waits. A second meeting waits for the first and tries nothing again. */
  meet(name?: string): Promise<void>;
  /** Connects those that are not, or this one, and waits. What could not be reached says so in its state. */
  connect(name?: string): Promise<void>;
  /** From now on this server too. Its tools are offered when it has answered. */
  add(server: ServerConfig, origin?: "own" | "brought"): Promise<ServerState>;
  /** Its tools go at once. False when there is none of that name. */
  remove(name: string): Promise<boolean>;
  /** How the definitions differ from those that were agreed to. */
  drift(name?: string): readonly Drift[];
  /**
   * The definitions of a server as they are now are agreed to: all of them, or those of these tools. Returns which. A tool may be named
   * with the hash of what was seen, `tool@hash`. Throws, and agrees to nothing, when one is no longer what was seen.
   */
  accept(name: string, tools?: readonly string[]): Promise<readonly string[]>;
  /** Lets the person sign in at a server that wants it. `show` is given the address to open, and the host of whoever they sign in at. */
  login(name: string, show: (url: string, issuer: string) => void, signal: AbortSignal): Promise<void>;
  /** Forgets what signing in brought. */
  logout(name: string): Promise<boolean>;
  /** Their prompts and resources. */
  readonly offers: Offers;
  close(): Promise<void>;
}

/** Where an MCP server stands. */
export interface ServerState {
  readonly name: string;
  readonly kind: "stdio" | "http";
  /** The command line or the address, without secrets. */
  readonly at: string;
  readonly trust: Trust;
  readonly state: "idle" | "connecting" | "connected" | "waiting" | "failed" | "needs login";
  /** What went wrong and what to do. */
  readonly why?: string;
  /** What it calls itself, and the revision of the protocol it speaks. */
  readonly server?: string;
  readonly protocol?: string;
  readonly walls?: Walls;
  /** It may ask the model: each time after a question, or without one. */
  readonly sampling?: "ask" | "allow";
  readonly tools: readonly ServerTool[];
  /** How many there are of these, as it said last. */
  readonly prompts: number;
  readonly resources: number;
  readonly templates: number;
}

/** A tool that an MCP server has, and whether it is offered. */
export interface ServerTool {
  /** As the server names it, and as it is called here. */
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  /** `changed` and `new`: not what was agreed to, so it is offered to nobody. `left out`: not in the server's list in the configuration. */
  readonly state: "offered" | "changed" | "new" | "left out" | "refused";
  readonly why?: string;
}

/** A tool of a server that is not what was agreed to. */
export interface Drift {
  readonly server: string;
  readonly tool: string;
  readonly kind: "changed" | "new" | "gone";
  /** Which definition it is now: who agrees to `tool@hash` agrees to this one and no other. */
  readonly hash: string;
  /** The definitions as JSON over several lines, with hidden characters made visible. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ClientsParts {
  readonly servers: readonly ServerConfig[];
  readonly register: (toolset: Toolset) => () => void;
  readonly serve: Serve;
  readonly pins: Pins;
  /** Puts a server's question to the person; null where nobody can be asked. */
  readonly elicit: Elicit | null;
  /** The model that servers may ask whose configuration says so. Absent: none may. */
  readonly sampling?: Sampling;
  /** Folders the agent works in, for servers that ask. */
  readonly roots: readonly string[];
  /** Where what signing in brought is kept: a file for the person's eyes only. Null keeps it in memory. */
  readonly tokens: string | null;
  readonly warn: (message: string) => void;
  /** How often a call is made again that the server refused because there were too many. */
  readonly retry?: RetryConfig;
  readonly tracing?: Tracing;
}

/** Tools that were agreed to are offered at once, and their server is started when one is first called. One of which none is known has to be met first. */
export async function openClients(parts: ClientsParts): Promise<Clients> {
  const { register, warn } = parts;
  const open = new Map<string, { readonly server: Server; readonly off: () => void }>();
  const told = new Set<string>();
  const servers = () => [...open.values()].map(({ server }) => server);
  const named = (name: string): Server => {
    const found = open.get(name);
    if (found) return found.server;
    throw new ToolError("permanent_failure", `There is no MCP server "${name}".${didYouMean(name, open.keys())}`);
  };
  /** Also when one of them changes what it says. */
  const lookAround = () => {
    for (const message of findMentions(
      servers().map(({ config, offered }) => ({ name: config.name, trust: config.trust, definitions: offered() })),
    )) {
      if (!told.has(message) && told.size < MOST_TOLD) warn(message);
      told.add(message);
    }
  };
  const begin = (server: Server): Server => {
    const unregister = register(server.toolset);
    const unsubscribe = server.toolset.subscribe!(lookAround);
    const off = () => {
      unsubscribe();
      unregister();
    };
    open.set(server.config.name, { server, off });
    return server;
  };

  // Opened side by side, and offered in the order of the configuration: a model is shown the same list each time.
  for (const server of await Promise.all(parts.servers.map((config) => openServer(config, parts)))) begin(server);
  lookAround();
  const met = new Map<Server, Promise<void>>();
  const once = (server: Server): Promise<void> => {
    const meeting = met.get(server) ?? server.connect();
    met.set(server, meeting);
    return meeting;
  };

  return {
    states: () => servers().map((server) => server.state()),
    meet: async (name) => {
      const wanted = servers().filter(({ config }) => name === undefined || config.name === name);
      await Promise.all(wanted.filter((server) => server.isEmpty || met.has(server)).map(once));
      lookAround();
    },
    connect: async (name) => {
      await Promise.all((name === undefined ? servers() : [named(name)]).map((server) => server.connect()));
    },
    add: async (config, origin = "own") => {
      if ([...open.keys()].some((name) => name.toLowerCase() === config.name.toLowerCase()))
        throw new ToolError("permanent_failure", `There is an MCP server "${config.name}" already.`);
      const server = begin(await openServer(config, { ...parts, origin }));
      await server.connect();
      lookAround();
      return server.state();
    },
    remove: async (name) => {
      const found = open.get(name);
      if (!found) return false;
      open.delete(name);
      met.delete(found.server);
      found.off();
      await found.server.close();
      return true;
    },
    drift: (name) => (name === undefined ? servers() : [named(name)]).flatMap((server) => server.drift()),
    accept: (name, tools) => named(name).accept(tools),
    login: (name, show, signal) => named(name).login(show, signal),
    logout: (name) => named(name).logout(),
    offers: createOffers(servers, named),
    close: async () => {
      const all = [...open.values()];
      open.clear();
      for (const { off } of all) off();
      await Promise.all(all.map(({ server }) => server.close()));
    },
  };
}

const MOST_TOLD = 50;

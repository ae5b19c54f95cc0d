import { ToolError } from "../../core/error.ts";
import { UNTRACED } from "../../core/ports/span.ts";
import type { RetryConfig } from "../../core/retry.ts";
import { type AnyTool, NEVER, type Toolset } from "../../core/tool.ts";
import type { ServerConfig } from "../config.ts";
import { createCaller, reachServer } from "./call.ts";
import type { ClientsParts, Drift, ServerState } from "./clients.ts";
import type { ConnectParts } from "./connection/connection.ts";
import { headerProblem } from "./connection/headers.ts";
import { Reconnector } from "./connection/reconnect.ts";
import { visitPages } from "./elicitation.ts";
import { needsLogin } from "./errors.ts";
import { Lister } from "./lister.ts";
import { tellClosedNetwork } from "./network-words.ts";
import { createServerAccount } from "./oauth/server-account.ts";
import { type OpenOffers, openOffers } from "./offers/open-offers.ts";
import { createSampler } from "./sampling.ts";
import { toolOf } from "./tools.ts";
import { AgreedTools } from "./trust/agreed-tools.ts";
import type { Definition } from "./trust/definitions.ts";
import { guardCall } from "./trust/guard-call.ts";
import { answerSecretsOf, secretsOf, shownAt } from "./trust/secrets.ts";

/** One server: its tools, its connection, and what was agreed to. */
export interface Server {
  readonly config: ServerConfig;
  readonly toolset: Toolset;
  /** What it has besides tools. */
  readonly offers: Pick<OpenOffers, "prompts" | "resources" | "prompt" | "read" | "suggest">;
  /** There is nothing to offer before it has been asked. */
  readonly isEmpty: boolean;
  state(): ServerState;
  drift(): readonly Drift[];
  accept(tools?: readonly string[]): Promise<readonly string[]>;
  /** Never throws: how it went is in the state. */
  connect(): Promise<void>;
  /** Everything a model may call it with now. */
  offered(): readonly Definition[];
  login(show: (url: string, issuer: string) => void, signal: AbortSignal): Promise<void>;
  logout(): Promise<boolean>;
  close(): Promise<void>;
}

export type ServerParts = Pick<ClientsParts, "serve" | "pins" | "elicit" | "sampling" | "roots" | "tokens" | "warn" | "retry" | "tracing"> &
  Pick<ConnectParts, "origin">;

export async function openServer(config: ServerConfig, parts: ServerParts): Promise<Server> {
  const { name } = config;
  const scrub = secretsOf(config);
  const warn = (message: string) => parts.warn(scrub(message));
  // An Authorization header of the person's own is another way to sign in: a refusal then is about that header.
  const isOwn = Object.keys(config.headers).some((header) => header.toLowerCase() === "authorization");
  const account = isOwn ? null : await createServerAccount(config, parts.tokens, warn);
  const wantsLogin = (thrown: unknown) => !isOwn && (needsLogin(thrown) || (account?.needsLogin(thrown) ?? false));
  const book = await AgreedTools.open(config, parts.pins, warn);
  const conceal = async () => answerSecretsOf(config, [(await account?.auth.token()) ?? ""]);
  const offers = await openOffers(config, {
    pins: parts.pins,
    keeper: () => keeper,
    needsLogin: wantsLogin,
    scrub,
    warn,
    conceal,
    changed: () => offer.renew(),
  });
  const offer = offering(() => [
    ...book.offered().map((definition) => [definition.hash, () => toolOf(name, definition, run)] as const),
    ...offers.tools(new Set(book.standings().map(({ tool }) => tool))),
  ]);
  const lister = new Lister({
    book,
    problem: ({ wire }, { legacy }) => (config.url === undefined || legacy ? null : headerProblem(wire.inputSchema)),
    cut: (why) => warn(`The MCP server "${name}": ${why}.`),
    taken: offer.renew,
  });
  const keeper = new Reconnector(config, {
    ...parts,
    warn,
    scrub,
    sample: parts.sampling ? createSampler(config, { sampling: parts.sampling, elicit: parts.elicit }) : null,
    ...(account && { authProvider: account.auth }),
    needsLogin: wantsLogin,
    greet: async (connection) => {
      const isCurrent = () => keeper.connection === connection;
      connection.onListChanged((list) =>
        list === "tools" ? lister.heardChange(connection, isCurrent) : offers.heardChange(list, connection, isCurrent),
      );
      await lister.read(connection);
      offers.begin(connection);
    },
    parted: () => book.settle(),
  });
  const reach = { server: name, keeper, needsLogin: wantsLogin };
  const call = createCaller({
    ...reach,
    lister,
    book,
    scrub,
    retry: parts.retry ?? RETRY,
    tracing: parts.tracing ?? UNTRACED,
    visited: (thrown, signal) => visitPages({ name, elicit: parts.elicit, warn }, thrown, signal),
  });

  const run = guardCall(tellClosedNetwork(call, config), {
    server: name,
    refuse: (definition, why) => {
      book.refuse(definition, why);
      offer.renew();
    },
    conceal,
  });

  const connect = async () => {
    try {
      const before = keeper.connection;
      const connection = await keeper.get(NEVER, "now");
      // A new one has just been listed.
      if (connection === before) await lister.read(connection);
      await offers.settled(connection);
    } catch (thrown) {
      warn(`The MCP server "${name}" could not be reached: ${keeper.state.why ?? (thrown as Error).message}`);
    }
  };

  offer.renew();
  return {
    config,
    get isEmpty() {
      return book.isEmpty;
    },
    offers,
    toolset: { id: `mcp:${name}`, trust: config.trust, list: offer.tools, subscribe: offer.subscribe },
    state: () => ({
      name,
      kind: config.url === undefined ? "stdio" : "http",
      at: shownAt(config),
      trust: config.trust,
      ...keeper.state,
      ...(config.sampling && { sampling: config.sampling === "allow" ? "allow" : "ask" }),
      tools: book.shown(),
      ...offers.counts,
    }),
    drift: () => book.drift(),
    offered: () => book.offered(),
    accept: async (wanted) => {
      await reachServer(reach, NEVER, "now");
      const accepted = await book.accept(wanted);
      offer.renew();
      return accepted;
    },
    connect,
    login: async (show, signal) => {
      if (!account)
        throw new ToolError(
          "permanent_failure",
          `There is nothing to sign in at: "${name}" is ${isOwn ? "given an Authorization header of your own" : "a program on this machine"}.`,
        );
      await account.signIn(show, signal);
      keeper.forgive();
      await connect();
    },
    logout: async () => {
      const was = account?.signOut() ?? false;
      if (was && keeper.connection) await keeper.drop(keeper.connection, "you signed out");
      return was;
    },
    close: async () => {
      lister.close();
      offers.close();
      await keeper.close();
    },
  };
}

const RETRY: RetryConfig = { max_attempts: 2, base_ms: 500, max_ms: 5000, budget_secs: 30 };

/** The tools that are offered now. One whose definition did not change stays the same one. */
function offering(wanted: () => readonly (readonly [hash: string, make: () => AnyTool])[]) {
  const listeners = new Set<() => void>();
  let made = new Map<string, AnyTool>();
  return {
    tools: (): readonly AnyTool[] => [...made.values()],
    subscribe: (changed: () => void) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    renew: () => {
      const next = new Map(wanted().map(([hash, make]) => [hash, made.get(hash) ?? make()]));
      const same = next.size === made.size && [...next.keys()].every((hash) => made.has(hash));
      made = next;
      if (!same) for (const changed of [...listeners]) changed();
    },
  };
}

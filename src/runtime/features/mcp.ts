import { CommandError, type Reply, type SlashCommand } from "../../core/command.ts";
import type { ServerState } from "../../mcp/client/clients.ts";
import { bounded } from "../../text/visible.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { alone, cut, one, unknown } from "../governance/words.ts";
import type { Mcp } from "../mcp.ts";
import { promptCommands } from "./mcp-prompts.ts";
import { driftText, serverNamed, stateText, summary, whyHidden } from "./mcp-words.ts";

export interface McpSurroundings extends Pick<Surroundings, "warn"> {
  readonly mcp: Mcp;
}

const USAGE =
  "/mcp [list|tools [server]|connect <server>|diff [server]|accept <server> <tool@hash…>|add <name> …|remove <server>|login <server>|logout <server>]";

/** The MCP servers of a runtime, for the person. What is done here holds for this session; `zeph mcp` changes the configuration. */
export function mcpPart(given: McpSurroundings): Required<Pick<Part, "commands" | "status">> {
  return {
    get commands() {
      return [mcpCommand(given), ...promptCommands(given.mcp)];
    },
    async status() {
      const states = given.mcp.states();
      return states.length === 0 ? {} : { mcp: summary(states) };
    },
  };
}

type Action = (rest: string, given: McpSurroundings, signal: AbortSignal) => Promise<string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list: async (rest, { mcp }) => (await alone(rest, "/mcp list", () => ({ text: listText(mcp.states()) }))).text,
  tools: async (rest, { mcp }) => chosen(rest, mcp, "/mcp tools [server]").map(toolsText).join("\n") || NONE,
  connect,
  diff,
  accept,
  add,
  remove,
  login,
  logout,
};

function mcpCommand(given: McpSurroundings): SlashCommand {
  return {
    name: "/mcp",
    usage: USAGE,
    help: "MCP servers: what they offer, what changed, and who is connected",
    complete(rest) {
      const [, first = "", gap = ""] = /^\s*(\S*)(\s*)/.exec(rest) ?? [];
      if (gap === "") return Object.keys(ACTIONS);
      return first === "list" || first === "add" ? [] : given.mcp.states().map(({ name }) => name);
    },
    async run(rest, signal): Promise<Reply> {
      const [word = "list", after] = cut(rest);
      const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word]! : null;
      if (!action) throw unknown("/mcp", word, Object.keys(ACTIONS), USAGE);
      return { text: await unlessStopped(action(after, given, signal), signal) };
    },
  };
}

/** Whoever is waited for is left to itself: a server that does not answer keeps nobody. */
const unlessStopped = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new CommandError("It was stopped.")), { once: true });
    work.then(resolve, reject);
  });

const NONE = "There are no MCP servers. `zeph mcp add` adds one.";

const listText = (states: readonly ServerState[]): string => states.map(lineOf).join("\n") || NONE;

const lineOf = (state: ServerState): string =>
  `${state.name}: ${stateText(state)}, ${state.trust}; ${state.at}${state.why === undefined ? "" : `\n    ${state.why}`}`;

const LONGEST = 200;

function toolsText(state: ServerState): string {
  const rows = state.tools.map((tool) => {
    const hidden = whyHidden(tool, state.name);
    return `  ${tool.name}${hidden === "" ? "" : ` (${tool.state})\n      ${hidden}`}\n      ${brief(tool.description)}`;
  });
  return [lineOf(state), ...rows].join("\n");
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return bounded(line, LONGEST);
}

const named = (name: string, mcp: Mcp): ServerState => serverNamed(name, mcp.states(), (message) => new CommandError(message));

function chosen(rest: string, mcp: Mcp, usage: string): readonly ServerState[] {
  return rest === "" ? mcp.states() : [named(one(rest, usage), mcp)];
}

async function connect(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const { name } = named(one(rest, "/mcp connect <server>"), mcp);
  await mcp.connect(name);
  return lineOf(named(name, mcp));
}

/** What is compared is what the servers said last; one that was not asked yet is asked. */
async function diff(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const asked = chosen(rest, mcp, "/mcp diff [server]");
  for (const { name, state } of asked) if (state === "idle") await mcp.connect(name);
  const found = asked.flatMap(({ name }) => mcp.drift(name));
  const away = asked.map(({ name }) => named(name, mcp)).filter(({ state }) => state !== "connected");
  const texts = await Promise.all(found.map(driftText));
  const same = found.length === 0 && away.length < asked.length ? [SAME] : [];
  const next = [...found.map((one) => `To agree to this: /mcp accept ${one.server} ${seen(one)}`), ...same];
  return [...texts, ...away.map(lineOf), ...next].join("\n") || NONE;
}

/** A definition as it was shown, and no other: the server may say something else by the next time it is asked. */
const seen = ({ tool, hash }: { readonly tool: string; readonly hash: string }): string => `${tool}@${hash}`;

const SAME = "Nothing has changed since you agreed.";

async function accept(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const [server, ...tools] = rest.split(/\s+/).filter((word) => word !== "");
  if (server === undefined || tools.length === 0) throw new CommandError(HOW_TO_ACCEPT);
  const { name } = named(server, mcp);
  const open = mcp.drift(name);
  const strange = tools.find((word) => !open.some((one) => [one.tool, seen(one)].includes(word)));
  if (strange !== undefined)
    throw new CommandError(
      `There is no change "${strange}".${open.length > 0 ? ` Changed: ${open.map(({ tool }) => tool).join(", ")}.` : ""} ${HOW_TO_ACCEPT}`,
    );
  if (tools.some((word) => !open.some((one) => seen(one) === word))) throw new CommandError(HOW_TO_ACCEPT);
  const agreed = await mcp.accept(name, tools);
  return agreed.length === 0 ? SAME : `Agreed to, as it is now: ${agreed.join(", ")}.`;
}

const HOW_TO_ACCEPT = "/mcp diff shows what changed, with the words to type for each: /mcp accept <server> <tool>@<hash>.";

/** For this session alone. Nothing is written, so that what an editor lets somebody type changes no file. */
async function add(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const [{ ADD_USAGE, entryFrom, wholeServer }, { privatePlaces, standardPlaces }, { settled }] = await Promise.all([
    import("./mcp-entry.ts"),
    import("./mcp-settings.ts"),
    import("./mcp-paths.ts"),
  ]);
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const dashes = words.indexOf("--");
  try {
    const { entry } = dashes < 0 ? entryFrom(words, null) : entryFrom(words.slice(0, dashes), words.slice(dashes + 1));
    if (mcp.states().some(({ name }) => name.toLowerCase() === entry.name.toLowerCase()))
      throw new Error(`There is a server named "${entry.name}" already. /mcp remove ${entry.name} takes it away.`);
    wholeServer(entry);
    const { at, userFile } = standardPlaces();
    const { entry: whole, told } = settled(entry, { cwd: mcp.workspace, home: at.home, own: privatePlaces(at, userFile) });
    const state = await mcp.addOwn(wholeServer(whole));
    return `${[...told, toolsText(state)].join("\n")}\nIt can be used in this session. To keep it: zeph mcp add.`;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} Type /mcp add ${ADD_USAGE}.`);
  }
}

async function remove(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const { name } = named(one(rest, "/mcp remove <server>"), mcp);
  await mcp.remove(name);
  return `${name} is gone for this session. To take it out of the configuration: zeph mcp remove ${name}.`;
}

async function login(rest: string, { mcp, warn }: McpSurroundings, signal: AbortSignal): Promise<string> {
  const { name } = named(one(rest, "/mcp login <server>"), mcp);
  await mcp.login(name, (url, issuer) => warn(`To sign in for ${name} at ${issuer}, open: ${url}`), signal);
  const state = named(name, mcp);
  return `Signed in. ${state.name}: ${stateText(state)}.`;
}

async function logout(rest: string, { mcp }: McpSurroundings): Promise<string> {
  const { name } = named(one(rest, "/mcp logout <server>"), mcp);
  return (await mcp.logout(name)) ? `Signed out of ${name}.` : `Nobody was signed in at ${name}; nothing was kept.`;
}

import { isDeepStrictEqual } from "node:util";
import { saveServer } from "../../../config/edit/servers.ts";
import { ADD_USAGE, entryFrom, type Typed, wholeServer } from "../../../runtime/features/mcp-entry.ts";
import { visible } from "../../../text/visible.ts";
import { duration } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine, warn } from "../run/print.ts";
import { prose } from "../terminal/terminal.ts";
import type { McpRequest } from "./mcp.ts";
import { withDesk, withServers } from "./open.ts";
import { aboutServer, isConnected, offeredText, offersText, type State, sayAway, serverToolsText } from "./text.ts";

/** `zeph mcp add`: writes a server into the person's own file, connects it, and shows what it offers. Exit 5 when it cannot be reached; it is written all the same. */
export async function addServer(wish: McpRequest): Promise<number> {
  const { terminal } = wish;
  const { entry, force, json, spelledOut } = typed(wish);
  const { file, isInForce, projectList, told } = await write(wish, entry, force ? "replace" : "add");
  if (spelledOut.length > 0) warn(terminal, inHistory(spelledOut, file));
  if (!json) terminal.stdout.write(visible([`Written to ${file}.`, ...told].map((line) => `${line}\n`).join("")));
  if (!isInForce) {
    warn(terminal, `${notInForce(entry.name, projectList)} See: zeph config explain mcp.servers`);
    if (json) terminal.stdout.write(jsonLine({ file, told, server: null }));
    return EXIT.failed;
  }
  return withServers(wish, entry.name, async ({ mcp, ms }) => {
    const [state] = mcp.states();
    const isThere = state !== undefined && isConnected(state);
    if (json) terminal.stdout.write(jsonLine({ file, told, server: state ?? null, ms: Math.round(ms) }));
    else if (state && isThere) tell(state, ms, wish);
    else if (state) {
      sayAway(state, terminal);
      terminal.stderr.write(`Try again: zeph mcp test ${state.name}. Take it out again: zeph mcp remove ${state.name}.\n`);
    }
    return isThere ? EXIT.ok : EXIT.failed;
  });
}

function typed({ words, command }: McpRequest): Typed {
  try {
    return entryFrom(words, command);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nUsage: zeph mcp add ${ADD_USAGE}`);
  }
}

/** Writes the server. Definitions that were agreed to under this name are forgotten: the person is shown the tools now. */
async function write(wish: McpRequest, typed: Typed["entry"], how: "add" | "replace") {
  wholeServer(typed);
  const isNamed = ({ name }: { readonly name: string }) => name.toLowerCase() === typed.name.toLowerCase();
  const written = await withDesk(wish, async (desk) => {
    const { entry, told } = desk.settle(typed);
    saveServer(desk.userFile, entry, how);
    await desk.forget([...desk.own, ...desk.servers].find(isNamed) ?? entry);
    const server = wholeServer(entry);
    if (server.command !== undefined) desk.fetchAnew(server);
    return { file: desk.userFile, told, server };
  });
  return withDesk(wish, async ({ servers, projectList }) => ({
    ...written,
    projectList,
    isInForce: servers.some((one) => isDeepStrictEqual(one, written.server)),
  }));
}

const notInForce = (name: string, projectList: string | null): string =>
  projectList === null
    ? `ZEPH_MCP_SERVERS or --set names other servers, so ${name} is not in force now.`
    : `You trust this project, and its own list of servers (${projectList}) replaces yours here, so ${name} is not in force in it. It is in other folders.`;

function tell(state: State, ms: number, { terminal }: McpRequest): void {
  const { stdout } = terminal;
  stdout.write(`Connected in ${duration(ms)}.\n\n${aboutServer(state, terminal)}\n${serverToolsText(state, terminal)}\n`);
  stdout.write(
    `${prose(`${offeredText(state)} agreed to, as described above. A tool that changes later is hidden until you agree to it: zeph mcp diff ${state.name}`, stdout)}\n`,
  );
  const more = offersText(state);
  if (more !== "") stdout.write(`${prose(more, stdout)}\n`);
  const first = state.tools.find((tool) => tool.state === "offered");
  if (first) stdout.write(`Try one: zeph call ${first.name} '{…}'. \`zeph tools ${first.name}\` shows what it takes.\n`);
}

const inHistory = (names: readonly string[], file: string): string =>
  `The value of ${names.join(", ")} is now in ${file}, and in the history of your shell. For a secret say --env NAME alone, or --header 'Authorization=Bearer \${NAME}': it is looked up in the environment or in keys.toml when the server is started.`;

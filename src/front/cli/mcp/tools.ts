import { offerCounts } from "../../../runtime/features/mcp-words.ts";
import { visible } from "../../../text/visible.ts";
import { duration } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine } from "../run/print.ts";
import type { McpRequest } from "./mcp.ts";
import { configured, readMcpArgs, withDesk, withServers } from "./open.ts";
import { aboutServer, isConnected, offeredText, sayAway, serverToolsText } from "./text.ts";

const TOOLS = "Usage: zeph mcp tools [server] [--json]";
const TEST = "Usage: zeph mcp test <server> [--fetch] [--json]";

/** `zeph mcp tools`: what the servers offer now, and what of it is kept from everybody. Exit 5 when one cannot be reached. */
export async function listTools(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, TOOLS, 1, { json: { type: "boolean" } });
  return withServers(wish, positionals[0] ?? null, async ({ mcp }) => {
    const { terminal } = wish;
    const states = mcp.states();
    if (values.json) terminal.stdout.write(jsonLine(states.flatMap(({ name, tools }) => tools.map((tool) => ({ server: name, ...tool })))));
    else if (states.length === 0) terminal.stdout.write("There are no MCP servers.\n");
    else
      for (const state of states)
        terminal.stdout.write(
          `${terminal.out.bold(visible(state.name))}: ${[offeredText(state), ...offerCounts([state])].join(", ")}\n${serverToolsText(state, terminal)}`,
        );
    const away = states.filter((state) => !isConnected(state));
    for (const state of away) sayAway(state, terminal);
    return away.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** `zeph mcp test`: connects, and says how that went. Exit 0, or 5 when it cannot be reached. */
export async function testServer(wish: McpRequest): Promise<number> {
  const { values, positionals } = readMcpArgs(wish, TEST, 1, { json: { type: "boolean" }, fetch: { type: "boolean" } });
  const [name] = positionals;
  if (name === undefined) throw new UsageError(`Say which server to test.\n${TEST}`);
  if (values.fetch) await withDesk(wish, async (desk) => fetchAnew(configured(name, desk.servers), desk.fetchAnew));
  return withServers(wish, name, async ({ mcp, ms }) => {
    const { terminal } = wish;
    const [state] = mcp.states();
    const drift = mcp.drift().map(({ tool, kind }) => ({ tool, kind }));
    const isThere = state !== undefined && isConnected(state);
    if (values.json) terminal.stdout.write(jsonLine({ ok: isThere, ms: Math.round(ms), ...state, drift }));
    else if (state && isThere) {
      terminal.stdout.write(`${aboutServer(state, terminal)}\n${serverToolsText(state, terminal)}\nConnected in ${duration(ms)}.\n`);
      if (drift.length > 0)
        terminal.stdout.write(
          terminal.out.yellow(
            `Changed since you agreed: ${visible(drift.map(({ tool, kind }) => `${tool} (${kind})`).join(", "))}. See: zeph mcp diff ${state.name}\n`,
          ),
        );
    } else if (state) sayAway(state, terminal);
    return isThere ? EXIT.ok : EXIT.failed;
  });
}

type Server = ReturnType<typeof configured>;

/** Only what is fetched before the start can be fetched again. */
function fetchAnew(server: Server, fetch: (server: Server) => void): void {
  if (server.network !== "install")
    throw new UsageError(
      `"${server.name}" fetches nothing before it starts: its network is not "install" (zeph config explain mcp.servers).`,
    );
  fetch(server);
}

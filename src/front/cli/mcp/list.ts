import { serverPlace } from "../../../runtime/features/mcp-settings.ts";
import { offerCounts, stateText } from "../../../runtime/features/mcp-words.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { jsonLine, warn } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { McpRequest } from "./mcp.ts";
import { readMcpArgs, withDesk, withServers } from "./open.ts";
import { isConnected, sayAway } from "./text.ts";

const USAGE = "Usage: zeph mcp list [--connect] [--json]";
const NONE = "There are no MCP servers. Add one: zeph mcp add <name> -- <command>\n";

/** `zeph mcp list`: what is configured and what was agreed to, without talking to anybody; with --connect, how they are. */
export async function listServers(wish: McpRequest): Promise<number> {
  const { values } = readMcpArgs(wish, USAGE, 0, { json: { type: "boolean" }, connect: { type: "boolean" } });
  return values.connect ? live(wish, values.json ? "json" : "text") : known(wish, values.json ? "json" : "text");
}

const known = (wish: McpRequest, form: "json" | "text"): Promise<number> =>
  withDesk(wish, async (desk) => {
    const { terminal } = wish;
    for (const message of desk.warnings) warn(terminal, message);
    const found = await Promise.all(
      desk.servers.map(async (server) => {
        const { tools, since, offers } = await desk.agreed(server);
        const agreed = { agreed_tools: tools, agreed_at: since === null ? null : new Date(since).toISOString() };
        return { name: server.name, ...serverPlace(server), trust: server.trust, network: server.network, ...agreed, ...offers };
      }),
    );
    const rows = found.map(({ name, at, trust, agreed_tools, agreed_at, ...offers }): Row => {
      const day = agreed_at?.slice(0, 10);
      const known = [`${plural(agreed_tools, "tool")} agreed to ${day}`, ...offerCounts([offers])].join(", ");
      return [name, trust, day === undefined ? "never connected" : known, at];
    });
    terminal.stdout.write(form === "json" ? jsonLine(found) : table(rows, terminal) || NONE);
    return EXIT.ok;
  });

const live = (wish: McpRequest, form: "json" | "text"): Promise<number> =>
  withServers(wish, null, async ({ mcp }) => {
    const { terminal } = wish;
    const states = mcp.states();
    const rows = states.map((state): Row => [state.name, state.trust, stateText(state), state.at]);
    terminal.stdout.write(form === "json" ? jsonLine(states) : table(rows, terminal) || NONE);
    const away = states.filter((state) => !isConnected(state));
    if (form === "text") for (const state of away) sayAway(state, terminal);
    return away.length > 0 ? EXIT.failed : EXIT.ok;
  });

type Row = readonly [name: string, trust: string, state: string, at: string];

function table(rows: readonly Row[], { out }: Terminal): string {
  const shown = rows.map((row) => row.map((text) => visible(text).replace(/\s+/g, " ")));
  const width = (n: number) => Math.max(...shown.map((row) => row[n]!.length));
  return shown
    .map(
      ([name, trust, state, at]) =>
        `${out.cyan(name!.padEnd(width(0)))}  ${trust!.padEnd(width(1))}  ${state!.padEnd(width(2))}  ${out.dim(at!)}\n`,
    )
    .join("");
}

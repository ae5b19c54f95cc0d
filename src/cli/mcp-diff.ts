import { driftText } from "../app/parts/mcp-words.ts";
import { didYouMean } from "../core/nearest.ts";
import { EXIT } from "./exit.ts";
import { readArgs, UsageError } from "./io.ts";
import type { McpWish } from "./mcp.ts";
import { type OpenServers, refuseCommand, withServers } from "./mcp-open.ts";
import { isConnected, sayAway } from "./mcp-text.ts";
import { colouredDiff, harmless, jsonLine } from "./print.ts";

const USAGE = "Usage: zeph mcp diff [server] [--json]\n       zeph mcp diff <server> --accept [tool…] [--json]";
const MOST_WORDS = 1000;

/** `zeph mcp diff`: how definitions differ from those that were agreed to; with --accept they are agreed to. Exit 0, or 5 when something differs or cannot be reached. */
export async function diffServers(wish: McpWish): Promise<number> {
  refuseCommand(wish);
  const { values, positionals } = readArgs(wish.words, USAGE, MOST_WORDS, { json: { type: "boolean" }, accept: { type: "boolean" } });
  const [server, ...tools] = positionals;
  if (tools.length > 0 && !values.accept) throw new UsageError(`"${tools[0]}" is one word too many.\n${USAGE}`);
  if (values.accept && server === undefined) throw new UsageError(`Say whose definitions you agree to.\n${USAGE}`);
  const form = values.json ? "json" : "text";
  return withServers(wish, server ?? null, (open) => (values.accept ? accept(open, tools, form, wish) : show(open, form, wish)));
}

async function show({ mcp }: OpenServers, form: "json" | "text", { terminal }: McpWish): Promise<number> {
  const { stdout, out } = terminal;
  const drift = mcp.drift();
  const away = mcp.states().filter((state) => !isConnected(state));
  if (form === "json") stdout.write(jsonLine({ drift, unreachable: away.map(({ name, state, why }) => ({ name, state, why })) }));
  else {
    for (const one of drift) stdout.write(`${colouredDiff(await driftText(one), out)}\n`);
    const names = [...new Set(drift.map(({ server }) => server))];
    if (drift.length === 0 && away.length === 0) stdout.write("Everything is as it was agreed to.\n");
    for (const name of names) stdout.write(`To agree to what it says now: zeph mcp diff ${name} --accept\n`);
    for (const state of away) sayAway(state, terminal);
  }
  return drift.length + away.length > 0 ? EXIT.failed : EXIT.ok;
}

async function accept(
  { mcp, servers }: OpenServers,
  tools: readonly string[],
  form: "json" | "text",
  { terminal }: McpWish,
): Promise<number> {
  const [server] = servers;
  const [state] = mcp.states();
  if (!server || !state || !isConnected(state)) {
    if (form === "json")
      terminal.stdout.write(
        jsonLine({ accepted: [], unreachable: state ? [{ name: state.name, state: state.state, why: state.why }] : [] }),
      );
    else if (state) sayAway(state, terminal);
    return EXIT.failed;
  }
  const open = mcp.drift(server.name).map(({ tool }) => tool);
  const strange = tools.find((tool) => !open.includes(tool));
  if (strange !== undefined)
    throw new UsageError(
      `Nothing has changed about "${strange}".${didYouMean(strange, open) || (open.length > 0 ? ` Changed: ${open.join(", ")}.` : "")}`,
    );
  const accepted = await mcp.accept(server.name, ...(tools.length > 0 ? [tools] : []));
  const text = accepted.length === 0 ? "Everything is as it was agreed to." : `Agreed to, as it is now: ${accepted.join(", ")}.`;
  terminal.stdout.write(form === "json" ? jsonLine({ accepted }) : `${harmless(text)}\n`);
  return EXIT.ok;
}

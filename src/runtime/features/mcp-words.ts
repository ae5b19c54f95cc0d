import { wallsText } from "../../core/ports/walls.ts";
import type { Drift, ServerState, ServerTool } from "../../mcp/client/clients.ts";
import { didYouMean } from "../../text/nearest.ts";
import { plural } from "../../text/words.ts";
import { unifiedDiff } from "../../tools/diff.ts";

export { contentText, resourceLine } from "../../mcp/client/offers/resource-words.ts";

/** `2 servers, 14 tools, 1 changed` */
export function summary(states: readonly ServerState[]): string {
  const tools = states.flatMap((one) => one.tools);
  const counts = [plural(states.length, "server"), plural(tools.filter(({ state }) => state === "offered").length, "tool")];
  const away = states.filter(({ state }) => state === "failed" || state === "needs login" || state === "waiting").length;
  return [...counts, ...offerCounts(states), ...hiddenCounts(tools), ...(away > 0 ? [`${away} not connected`] : [])].join(", ");
}

/** `connected, 3 tools, 1 changed` */
export function stateText(one: ServerState): string {
  const { state, tools } = one;
  return [
    state,
    plural(tools.filter((tool) => tool.state === "offered").length, "tool"),
    ...offerCounts([one]),
    ...hiddenCounts(tools),
  ].join(", ");
}

/** `2 prompts`, `5 resources`, `1 template`: what there is of each. */
export function offerCounts(states: readonly Pick<ServerState, "prompts" | "resources" | "templates">[]): string[] {
  return (["prompts", "resources", "templates"] as const).flatMap((kind) => {
    const count = states.reduce((sum, one) => sum + one[kind], 0);
    return count > 0 ? [plural(count, kind.slice(0, -1))] : [];
  });
}

const hiddenCounts = (tools: readonly ServerTool[]): string[] =>
  (["changed", "new", "refused"] as const).flatMap((state) => {
    const count = tools.filter((one) => one.state === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });

/** What is so about a server: a name and a text in each row. */
export const serverRows = (one: ServerState): Record<string, string> => ({
  [one.kind === "stdio" ? "command" : "address"]: one.at,
  state: stateText(one),
  ...(one.why !== undefined && { problem: one.why }),
  ...(one.server !== undefined && { server: one.server }),
  ...(one.protocol !== undefined && { protocol: one.protocol }),
  trust: `${one.trust}: ${TRUST[one.trust]}`,
  ...(one.sampling && {
    sampling: `it may ask the model, ${one.sampling === "ask" ? "each time after a yes of yours" : "and nobody is asked"}`,
  }),
  ...(one.walls && { walls: `${wallsText(one.walls)}${one.walls.reason === undefined ? "" : `; ${one.walls.reason}`}` }),
});

const TRUST: Readonly<Record<ServerState["trust"], string>> = {
  untrusted: "every call of its tools is refused",
  provisional: "every call is asked about",
  trusted: "no call is asked about, unless a rule of yours does",
};

/** Why a tool is not offered; nothing when it is. */
export function whyHidden({ state, why }: ServerTool, server: string): string {
  const look = `so it is hidden; look at it with: zeph mcp diff ${server}`;
  if (state === "offered") return "";
  if (state === "changed") return `changed since it was agreed to, ${look}`;
  if (state === "new") return `new since the server was agreed to, ${look}`;
  if (state === "left out") return `not in the server's list "tools" in the configuration`;
  return why === undefined ? "refused" : `refused: ${why}`;
}

/** How one definition differs, as `diff -u` would show it. */
export async function driftText({ server, tool, kind, before, after }: Drift): Promise<string> {
  const name = `${server}/${tool}`.replace(/\s/g, " ");
  const said = { changed: "has changed", new: "is new", gone: "is gone" }[kind];
  const diff = await unifiedDiff(name, before === null ? null : `${before}\n`, after === null ? "" : `${after}\n`);
  return `${name} ${said}.\n${diff ?? "It is too long to be compared here."}`;
}

/** The server that was meant; throws what `wrong` makes of the message. */
export function serverNamed<T extends { readonly name: string }>(
  name: string,
  servers: readonly T[],
  wrong: (message: string) => Error,
): T {
  const found = servers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const known = servers.map((one) => one.name);
  const hint = didYouMean(name, known) || (known.length === 0 ? " There are none yet: zeph mcp add." : ` There are ${known.join(", ")}.`);
  throw wrong(`There is no MCP server named "${name}".${hint}`);
}

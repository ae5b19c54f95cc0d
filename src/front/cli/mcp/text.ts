import { offerCounts, serverRows, whyHidden } from "../../../runtime/features/mcp-words.ts";
import type { Mcp } from "../../../runtime/mcp.ts";
import { visible } from "../../../text/visible.ts";
import { wrap } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { rowsText } from "../chat/status.ts";
import { printError } from "../run/print.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";

export type State = ReturnType<Mcp["states"]>[number];

/** The facts about a server, row by row. */
export const aboutServer = (state: State, terminal: Terminal): string =>
  `${terminal.out.bold(visible(state.name))}\n${rowsText(serverRows(state), terminal)}`;

/** Every tool with its whole description: it is what a model will be told, and what a person agrees to. */
export function serverToolsText({ name, tools }: State, { stdout, out }: Terminal): string {
  const width = lineWidth(stdout);
  return tools
    .map((tool) => {
      const hidden = whyHidden(tool, name);
      const lines = [`  ${hidden === "" ? out.cyan(visible(tool.name)) : out.dim(visible(tool.name))}`];
      if (hidden !== "") lines.push(out.yellow(wrap(visible(hidden), width, "      ")));
      if (tool.description !== "") lines.push(wrap(visible(tool.description), width, "      "));
      return `${lines.join("\n")}\n`;
    })
    .join("");
}

export const offeredText = ({ tools }: State): string => plural(tools.filter(({ state }) => state === "offered").length, "tool");

/** `It also has 2 prompts and 5 resources: …`; nothing where it has neither. */
export function offersText(state: State): string {
  const counts = offerCounts([state]);
  if (counts.length === 0) return "";
  const see = [
    ...(state.prompts > 0 ? [`zeph mcp prompts ${state.name}`] : []),
    ...(state.resources + state.templates > 0 ? [`zeph mcp resources ${state.name}`] : []),
  ];
  return `It also has ${counts.join(", ")}. See: ${see.join(", ")}`;
}

export const isConnected = ({ state }: State): boolean => state === "connected";

/** Why there is no connection, on stderr. */
export function sayAway(state: State, terminal: Terminal): void {
  // A server that needs a login says how in its reason.
  const why = state.why ?? (state.state === "needs login" ? `sign in with zeph mcp login ${state.name}` : `it is ${state.state}`);
  printError(terminal, `${state.name} could not be reached: ${why}`);
}

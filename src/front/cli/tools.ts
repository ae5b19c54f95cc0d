import { isServerTool } from "../../core/facets.ts";
import type { ToolInfo } from "../../runtime/create.ts";
import { hiddenText } from "../../runtime/governance/tools.ts";
import { didYouMean } from "../../text/nearest.ts";
import { visible } from "../../text/visible.ts";
import { wrap } from "../../text/width/columns.ts";
import { argumentsOf, type Parameter } from "./chat/schema.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import { jsonLine, warn } from "./run/print.ts";
import { type GlobalSettings, withRuntime } from "./runtime.ts";
import { type Colors, type Terminal, widthOf } from "./terminal/terminal.ts";

/** `zeph tools [name] [--json]`. */
export async function tools(
  name: string | undefined,
  form: "text" | "json",
  settings: GlobalSettings,
  terminal: Terminal,
): Promise<number> {
  return withRuntime(settings, {}, terminal, async (zeph) => {
    if (name === undefined || isServerTool(name)) await zeph.mcp.meet();
    const shown = name === undefined ? zeph.tools() : toolNamed(name, zeph.governance.tools());
    const hidden = name === undefined ? null : hiddenText(name, zeph.governance.tools());
    if (hidden !== null) warn(terminal, hidden);
    terminal.stdout.write(form === "json" ? jsonLine(shown) : toolsText(shown, terminal));
    return EXIT.ok;
  });
}

export function toolNamed(name: string, known: readonly ToolInfo[]): ToolInfo {
  const tool = known.find((one) => one.name === name);
  if (tool) return tool;
  const names = known.map((one) => one.name);
  throw new UsageError(`There is no tool named "${name}".${didYouMean(name, names) || ` There are: ${names.join(", ") || "none"}.`}`);
}

/** A list, or everything about one. */
export function toolsText(shown: readonly ToolInfo[] | ToolInfo, { stdout, out }: Terminal): string {
  const width = widthOf(stdout);
  if ("name" in shown) return oneTool(shown, width, out);
  if (shown.length === 0) return "There are no tools: the configuration switches them off or hides them all.\n";
  return shown.map((tool) => `${heading(tool, width, out)}\n${wrap(visible(firstSentence(tool.description)), width, "    ")}\n`).join("");
}

function oneTool(tool: ToolInfo, width: number, colors: Colors): string {
  const rows = argumentsOf(tool.parameters).map((argument) => argumentText(argument, width, colors));
  return [
    heading(tool, width, colors),
    wrap(visible(tool.description), width, "    "),
    "",
    ...rows,
    "",
    colors.dim("JSON Schema"),
    visible(JSON.stringify(tool.parameters, null, 2)),
    "",
  ].join("\n");
}

function heading(tool: ToolInfo, width: number, colors: Colors): string {
  const name = visible(tool.name);
  const effect = `(${tool.effect})`;
  const list = argumentsOf(tool.parameters).map((argument) => visible(argument.required ? argument.name : `[${argument.name}]`));
  const rest = list.join(" ");
  const fits = name.length + effect.length + rest.length + 2 <= width;
  return `${colors.bold(name)} ${colors.dim(effect)}${fits ? ` ${rest}` : `\n${wrap(rest, width, "  ")}`}`;
}

function argumentText({ name, type, required, description }: Parameter, width: number, colors: Colors): string {
  const head = `  ${colors.cyan(visible(name))} ${type}${required ? ", required" : ""}`;
  return description === "" ? head : `${head}\n${wrap(visible(description), width, "      ")}`;
}

/** A full stop inside "*.ts" ends no sentence. */
const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

import type { Tool } from "@modelcontextprotocol/server";
import { isServerTool } from "../../core/facets.ts";
import type { Effect } from "../../core/tool.ts";
import type { ToolInfo } from "../runtime.ts";

/** A tool as an MCP client is shown it. The hints follow from what a call can do; they grant nothing. */
export function mcpTool({ name, description, parameters, effect }: ToolInfo): Tool {
  return {
    name,
    title: titleOf(name),
    description,
    inputSchema: { ...(parameters as object), type: "object" },
    annotations: { ...HINTS[effect], ...(name in SAME_AGAIN && { idempotentHint: true }), ...OWN[name] },
  };
}

type Hints = NonNullable<Tool["annotations"]>;

const HINTS: Readonly<Record<Effect, Hints>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  fetches: { readOnlyHint: true, openWorldHint: true },
  stores: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  writes: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  runs: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  unknown: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** Once more with the same arguments changes nothing more. */
const SAME_AGAIN: Readonly<Record<string, true>> = { write: true, create_directory: true, delete_path: true };

/** Where the effect says more than the tool can do: it makes something new, and overwrites nothing. */
const OWN: Readonly<Record<string, Hints>> = {
  create_directory: { destructiveHint: false },
  copy_path: { destructiveHint: false },
  // It can end a command.
  background: { destructiveHint: true },
};

/** `find_path` is "Find path"; what an MCP server brought keeps its name. */
const titleOf = (name: string): string => {
  if (isServerTool(name)) return name;
  const words = name.replaceAll("_", " ");
  return words[0]!.toUpperCase() + words.slice(1);
};

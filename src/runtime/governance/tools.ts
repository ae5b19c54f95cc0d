import type { AnyTool } from "../../core/tool.ts";
import { describe } from "../describe.ts";
import type { Gates } from "../rules/gates.ts";
import type { LiveConfig } from "../rules/live-config.ts";
import type { ToolInfo } from "../runtime.ts";

/** A tool, and who keeps it from being offered to a model. */
export interface GovernedTool extends ToolInfo {
  /** The gate that denies every call of it. */
  readonly hiddenBy?: string;
  /** Where that is written. */
  readonly setting?: string;
}

/** Every tool there is, also those that no model is shown. */
export const governedTools = ({ rules, book }: Pick<Gates, "rules" | "book">, tools: readonly AnyTool[]): GovernedTool[] =>
  tools.map((tool) => {
    const { enabled } = book.live.tools;
    const hiddenBy = enabled ? rules.gates.find((gate) => gate.hides?.(tool))?.name : "permissions";
    if (hiddenBy === undefined) return describe(tool);
    const setting = SETTINGS[hiddenBy]?.(book.live, tool);
    return { ...describe(tool), hiddenBy, ...(setting !== undefined && { setting }) };
  });

/** `fetch is not offered: scoped denies every call (tools.scoped.denied_tools)`; null for a tool that is. */
export function notOffered({ name, hiddenBy, setting }: Pick<GovernedTool, "name" | "hiddenBy" | "setting">): string | null {
  if (hiddenBy === undefined) return null;
  return `${name} is not offered: ${hiddenBy} denies every call${setting === undefined ? "" : ` (${setting})`}`;
}

/** The same of the tool that is called so. */
export function hiddenText(name: string, tools: readonly GovernedTool[]): string | null {
  const tool = tools.find((one) => one.name === name);
  return tool ? notOffered(tool) : null;
}

const SETTINGS: Readonly<Record<string, (config: LiveConfig, tool: AnyTool) => string>> = {
  scoped: ({ tools: { scoped } }) => (scoped.allowed_tools.length > 0 ? "tools.scoped.allowed_tools" : "tools.scoped.denied_tools"),
  // It hears the rules of both lists.
  policy: ({ tools }) => (tools.policy.enabled ? "tools.policy" : "tools.authorization"),
  permissions({ tools, autonomy }, { name, effect }) {
    if (!tools.enabled) return "tools.enabled";
    return autonomy === "readonly" && effect !== "reads" ? "autonomy" : `tools.permissions.${name}`;
  },
};

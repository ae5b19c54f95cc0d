import { isServerTool } from "../../core/facets.ts";
import type { AnyTool } from "../../core/tool.ts";
import { didYouMean } from "../../text/nearest.ts";

type Rules<R> = Readonly<Record<string, readonly R[]>>;

/** Rules under another name of a tool hold for the tool. A name nobody answers to is worth a warning: the rule would protect nothing. */
export function rulesByTool<R>(rules: Rules<R>, tools: ReadonlyMap<string, AnyTool>, warn: (message: string) => void): Record<string, R[]> {
  const byTool: Record<string, R[]> = {};
  for (const [name, list] of Object.entries(rules)) {
    const tool = tools.get(name);
    // A server's tools may arrive later.
    if (!tool && !isServerTool(name))
      warn(`tools.permissions.${name}: there is no tool of that name, so these rules do nothing.${didYouMean(name, tools.keys())}`);
    const owner = tool?.name ?? name;
    byTool[owner] = [...(Object.hasOwn(byTool, owner) ? byTool[owner]! : []), ...list];
  }
  return byTool;
}

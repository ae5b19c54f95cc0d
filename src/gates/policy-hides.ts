import { compileGlob } from "../core/glob.ts";
import type { AnyTool } from "../core/tool.ts";
import type { Heard } from "./policy-match.ts";
import { effectOf, type PolicyRule, toolsOf } from "./policy-rule.ts";

/** Whether every call of a tool is denied, whatever its arguments: then nobody needs to be shown it. `otherwise` is what no rule speaks of. */
export function deniedWhole(list: readonly Heard[], otherwise: "allow" | "deny"): (tool: AnyTool) => boolean {
  const rules = list.map(({ rule }) => ({
    rule,
    effect: effectOf(rule),
    names: toolsOf(rule).map((pattern) => compileGlob(pattern.trim(), { flavour: "text", letters: "any case" })),
  }));
  return (tool) => {
    for (const { rule, effect, names } of rules) {
      if (!names.some((matches) => matches(tool.name)) || !(rule.capabilities?.includes(tool.effect) ?? true)) continue;
      if (effect === "allow") return false;
      if (isForAll(rule)) return true;
    }
    return otherwise === "deny";
  };
}

/** It looks at nothing but the tool. */
const isForAll = ({ paths, args_match, env, trust_level }: PolicyRule): boolean =>
  paths === undefined && args_match === undefined && env === undefined && trust_level === undefined;

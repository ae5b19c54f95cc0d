import type { AnyTool } from "../../core/tool.ts";
import type { OwnedRule } from "./match.ts";
import { effectOf, isForAll } from "./rule.ts";
import { toolTest } from "./tool-test.ts";

/** Whether every call of a tool is denied, whatever its arguments: then nobody needs to be shown it. `otherwise` is what no rule speaks of. */
export function deniedWhole(list: readonly OwnedRule[], otherwise: "allow" | "deny"): (tool: AnyTool) => boolean {
  const rules = list.map(({ rule }) => ({ effect: effectOf(rule), speaksOf: toolTest(rule), forAll: isForAll(rule) }));
  return (tool) => {
    for (const { effect, speaksOf, forAll } of rules) {
      if (speaksOf(tool) === null) continue;
      if (effect === "allow") return false;
      if (forAll) return true;
    }
    return otherwise === "deny";
  };
}

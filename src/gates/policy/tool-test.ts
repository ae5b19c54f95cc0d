import type { AnyTool } from "../../core/tool.ts";
import { compileGlob } from "../../text/glob.ts";
import { type PolicyRule, ruleTools } from "./rule.ts";

/** Which tools a rule speaks of: the pattern that fits the tool's name; null when none does, or when the tool does something else. */
export type ToolTest = (tool: Pick<AnyTool, "name" | "effect">) => string | null;

export function toolTest(rule: PolicyRule): ToolTest {
  const names = ruleTools(rule).map((pattern) => ({
    pattern,
    matches: compileGlob(pattern.trim(), { flavour: "text", letters: "any case" }),
  }));
  return ({ name, effect }) =>
    (rule.capabilities?.includes(effect) ?? true) ? (names.find(({ matches }) => matches(name))?.pattern ?? null) : null;
}

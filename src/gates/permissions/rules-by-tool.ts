import { isServerTool } from "../../core/facets.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { compileGlob, globProblem, type Matcher } from "../../text/glob.ts";
import { type CompiledRule, compileRules, type RuleAsWritten } from "./rules.ts";

/** Rules by the name of their tool. A key may stand for many tools of MCP servers: `mcp__notes__*`. */
export interface CompiledRules {
  /** Empty where nobody wrote any. */
  of(tool: string): readonly CompiledRule[];
  /** How many were written. */
  readonly count: number;
}

/**
 * What a pattern of names denies stays denied: it comes before the rules for the tool itself. What it allows or asks about comes after them, so
 * the rule for one tool is an exception to the rule for many.
 */
export function createRulesByTool(rules: Readonly<Record<string, readonly RuleAsWritten[]>>, facts: Facts): CompiledRules {
  const exact = new Map<string, readonly CompiledRule[]>();
  const wide: { readonly fits: Matcher; readonly list: readonly CompiledRule[] }[] = [];
  for (const [key, list] of Object.entries(rules)) {
    if (!isPattern(key)) exact.set(key, compileRules(list, facts));
    else wide.push({ fits: toolMatcher(key), list: compileRules(list, facts).map((rule) => ({ ...rule, under: key })) });
  }
  const isDenial = ({ action }: CompiledRule) => action === "deny";
  const find = (tool: string): readonly CompiledRule[] => {
    const own = exact.get(tool) ?? [];
    const many = wide.flatMap(({ fits, list }) => (fits(tool) ? list : []));
    return many.length === 0 ? own : [...many.filter(isDenial), ...own, ...many.filter((rule) => !isDenial(rule))];
  };
  const known = new Map<string, readonly CompiledRule[]>();
  return {
    of(tool) {
      if (wide.length === 0) return exact.get(tool) ?? [];
      const found = known.get(tool) ?? find(tool);
      if (known.size < MOST_KNOWN) known.set(tool, found);
      return found;
    },
    count: Object.values(rules).reduce((sum, list) => sum + list.length, 0),
  };
}

const MOST_KNOWN = 1000;

const toolMatcher = (key: string): Matcher => compileGlob(key, { flavour: "text", letters: "exact" });

export const isPattern = (key: string): boolean => /[*?[\]{}\\]/.test(key);

/** Why a key names no tool; null when it may. A rule that speaks of nobody would protect nothing. */
export function toolKeyProblem(key: string): string | null {
  if (!isPattern(key)) return null;
  if (!isServerTool(key))
    return "is a pattern, and only tools of MCP servers can be named by one (`mcp__notes__*`); write a list for each tool";
  const problem = globProblem(key);
  return problem === null ? null : `is not a valid glob: ${problem}`;
}

/** The lists that speak of a tool, as they were written. */
export const listsFor = <R>(rules: Readonly<Record<string, readonly R[]>>, tool: string): readonly R[] =>
  Object.entries(rules).flatMap(([key, list]) => (key === tool || (isPattern(key) && toolMatcher(key)(tool)) ? list : []));

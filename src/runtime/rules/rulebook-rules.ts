import { placeText } from "../../config/problem.ts";
import { ruleTools } from "../../gates/policy/rule.ts";
import { canonicalJson } from "../../text/json.ts";
import type { WrittenRule } from "./rulebook.ts";

/** A project's rule may well contradict its user's, that is what it is for. */
export const isElsewhere = (one: WrittenRule, other: WrittenRule): boolean =>
  one.key.startsWith("tools.") && other.key.startsWith("tools.") && one.place().file !== other.place().file;

/** What a rule asks of a call, once for each tool it names. The same text: the same calls. */
export const conditionsOf = ({ rule }: WrittenRule): string[] => {
  const { paths, args_match, env, trust_level, capabilities } = rule;
  const sorted = (list: readonly string[] | undefined) => list && [...list].sort();
  return ruleTools(rule).map((tool) =>
    canonicalJson([tool.trim().toLowerCase(), sorted(paths), args_match, sorted(env), trust_level, sorted(capabilities)]),
  );
};

/** ` (config.toml:5)`, in full, or ` (line 5)` where the file was named already; nothing where no file says it. */
export function placeIn(rule: WrittenRule, beside?: WrittenRule): string {
  const { file, line } = rule.place();
  if (file === undefined) return "";
  return beside?.place().file === file && line !== undefined
    ? ` (line ${line})`
    : ` (${placeText({ file, ...(line !== undefined && { line }) })})`;
}

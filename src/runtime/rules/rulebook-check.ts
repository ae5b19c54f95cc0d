import type { PlaceOf } from "../../config/load.ts";
import type { Problem } from "../../config/problem.ts";
import { isServerTool } from "../../core/facets.ts";
import type { AnyTool } from "../../core/tool.ts";
import { adversarialConfig } from "../../gates/adversarial/adversarial.ts";
import { effectOf, ruleTools } from "../../gates/policy/rule.ts";
import { utilityConfig } from "../../gates/utility/utility.ts";
import { didYouMean } from "../../text/nearest.ts";
import type { LiveConfig } from "./live-config.ts";
import type { Rulebook, WrittenRule } from "./rulebook.ts";
import { conditionsOf, isElsewhere, placeIn } from "./rulebook-rules.ts";
import { overruled, unusedRules } from "./rulebook-unused.ts";

export interface Checked {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** What is wrong with rules that are each well formed: names nobody answers to, lists that contradict themselves, and what is never heard. */
export function checkRulebook(book: Rulebook, tools: ReadonlyMap<string, AnyTool>, placeOf: PlaceOf): Checked {
  const { scoped } = book.live.tools;
  const known = new Set([...tools.keys(), ...SOMETIMES].map((name) => name.toLowerCase()));
  // Lists of exceptions hold names and no patterns: what one lets through should be seen.
  const isPattern = ({ name }: Mentioned) => /[*?[\]{}\\]/.test(name);
  const isList = ({ key }: Mentioned) => /exempt_tools|allowlist/.test(key);
  const isKnown = (one: Mentioned) => (isPattern(one) ? !isList(one) : isServerTool(one.name) || known.has(one.name.trim().toLowerCase()));
  const strangers = namesIn(book, placeOf)
    .filter((one) => !isKnown(one))
    .map(
      ({ name, key, place }): Problem => ({
        ...place(),
        key,
        message: /[*?[\]{}\\]/.test(name)
          ? `"${key}" names "${name}": this list takes names of tools and no patterns.`
          : `"${key}" names the tool "${name}", and there is none of that name.${didYouMean(name, known)}`,
      }),
    );
  const warnings = [...unusedRules(book, tools, known), ...overruled(book)];
  if (scoped.enabled && scoped.allowed_tools.length > 0 && scoped.denied_tools.length > 0) {
    const both = scoped.denied_tools.filter((name) => scoped.allowed_tools.includes(name));
    const which = both.length > 0 ? ` In both lists, and therefore used: ${both.join(", ")}.` : "";
    warnings.push(`tools.scoped.denied_tools is ignored, because tools.scoped.allowed_tools is set.${which}`);
  }
  return { problems: [...strangers, ...contradictions(book), ...unknownProvider(book.live, placeOf)], warnings };
}

/** Tools that a configuration or the moment may take away: a rule about them is no mistake. */
const SOMETIMES = [
  "memory_save",
  "memory_search",
  "load_skill",
  "invoke_skill",
  "scheduler",
  "schedule_deferred",
  "update_plan",
  "compress_context",
  "search_tools",
  "read_overflow",
];

interface Mentioned {
  readonly name: string;
  readonly key: string;
  /** Asked for only where something is wrong: a file is searched for it. */
  place(): Pick<Problem, "file" | "line">;
}

/** Every place where a tool is named. Of a list with a default only what somebody added. */
function namesIn({ live, written }: Rulebook, placeOf: PlaceOf): Mentioned[] {
  const { scoped, adversarial_policy, utility, governance } = live.tools;
  const listed = (key: string, names: readonly string[], usual: readonly string[] = []): Mentioned[] =>
    names.flatMap((name, n) =>
      usual.includes(name) ? [] : [{ name, key: `tools.${key}[${n}]`, place: () => placeOf(["tools", ...key.split("."), n]) }],
    );
  const ofRules = written.flatMap(({ rule, key, place }) =>
    ruleTools(rule).map((name, n): Mentioned => {
      const below = rule.tools ? (["tools", n] as const) : (["tool"] as const);
      return { name, key: `${key}.${rule.tools ? `tools[${n}]` : "tool"}`, place: () => place(...below) };
    }),
  );
  const ofConstraints = scoped.constraints.map(({ tool: name }, n): Mentioned => {
    const path = ["tools", "scoped", "constraints", n];
    return { name, key: `tools.scoped.constraints[${n}].tool`, place: () => placeOf([...path, "tool"]) };
  });
  return [
    ...ofRules,
    ...listed("scoped.denied_tools", scoped.denied_tools),
    ...listed("scoped.allowed_tools", scoped.allowed_tools),
    ...ofConstraints,
    ...listed("adversarial_policy.exempt_tools", adversarial_policy.exempt_tools, adversarialConfig().parse({}).exempt_tools),
    ...listed("utility.exempt_tools", utility.exempt_tools, utilityConfig().parse({}).exempt_tools),
    ...listed("governance.allowlist", governance.allowlist),
  ];
}

/**
 * The same conditions and opposite effects in one list: the second is never heard, and nobody can tell which was meant. Between the two
 * lists that is settled: the policy is heard first, and a warning says what it leaves unheard. A list that is off contradicts none but itself.
 */
function contradictions(book: Rulebook): Problem[] {
  const first = new Map<string, WrittenRule>();
  return book.written.flatMap((one) =>
    conditionsOf(one).flatMap((conditions): Problem[] => {
      const key = `${book[one.owner].enabled ? "on" : one.owner} ${conditions}`;
      const other = first.get(key);
      if (!other) first.set(key, one);
      if (!other || other.owner !== one.owner || effectOf(other.rule) === effectOf(one.rule) || isElsewhere(one, other)) return [];
      const message = `"${one.key}" says ${effectOf(one.rule)} to what "${other.key}"${placeIn(other, one)} says ${effectOf(other.rule)} to, with the same conditions. Keep one of them.`;
      return [{ ...one.place(), key: one.key, message }];
    }),
  );
}

function unknownProvider({ llm, tools }: LiveConfig, placeOf: PlaceOf): Problem[] {
  const { provider } = tools.adversarial_policy;
  const names = llm.providers.map(({ name }) => name);
  if (provider === "" || names.includes(provider)) return [];
  const key = "tools.adversarial_policy.provider";
  const message = `"${key}" names the provider "${provider}", and llm.providers has none of that name.${didYouMean(provider, names)}`;
  return [{ ...placeOf(key.split(".")), key, message }];
}

import { facetsOf, SERVER_PREFIX } from "../../core/facets.ts";
import type { AnyTool } from "../../core/tool.ts";
import { heard } from "../../gates/policy/policy.ts";
import { effectOf, isForAll, type PolicyRule, ruleTools } from "../../gates/policy/rule.ts";
import { compileGlob } from "../../text/glob.ts";
import { plural } from "../../text/words.ts";
import type { Rulebook, WrittenRule } from "./rulebook.ts";
import { conditionsOf, isElsewhere, placeIn } from "./rulebook-rules.ts";

/** What somebody wrote and what never says anything: because it is switched off, or because nothing can ever reach it. */
export function unusedRules(book: Rulebook, tools: ReadonlyMap<string, AnyTool>, known: ReadonlySet<string>): string[] {
  return [
    ...switchedOff(book),
    ...ruleless(book),
    ...phaseless(book, tools),
    ...shadowed(book),
    ...toolless(book, known),
    ...addressless(book, tools),
  ];
}

function switchedOff({ live, adversarial, written, ...lists }: Rulebook): string[] {
  const { scope, scoped, governance } = live.tools;
  const said: string[] = [];
  for (const owner of ["policy", "authorization"] as const) {
    const count = written.filter((one) => one.owner === owner).length;
    if (count > 0 && !lists[owner].enabled)
      said.push(`tools.${owner} has ${plural(count, "rule")} and is off: set tools.${owner}.enabled = true.`);
  }
  const unused = [scope.run_as_user !== "" && "run_as_user", scope.require_capability && "require_capability"].filter(
    (key) => key !== false,
  );
  if (unused.length > 0 && !scope.enabled)
    said.push(`tools.scope.${unused.join(" and tools.scope.")} has no effect, because that table is off: set tools.scope.enabled = true.`);
  const limits = [...scoped.allowed_tools, ...scoped.denied_tools, ...scoped.constraints];
  if (limits.length > 0 && !scoped.enabled) said.push("tools.scoped has lists or constraints and is off: set tools.scoped.enabled = true.");
  const { trajectory_enabled, blocked_sequences, block_risky_patterns } = governance;
  const rememberIt = "set tools.governance.trajectory_enabled = true.";
  if (blocked_sequences.length > 0 && !trajectory_enabled) said.push(`tools.governance.blocked_sequences have no effect: ${rememberIt}`);
  if (block_risky_patterns && !trajectory_enabled) said.push(`tools.governance.block_risky_patterns has no effect: ${rememberIt}`);
  if (adversarial.policies.length > 0 && !adversarial.enabled)
    said.push("tools.adversarial_policy has policies and is off: set tools.adversarial_policy.enabled = true.");
  return said;
}

const ruleless = ({ adversarial: { enabled, policies } }: Rulebook): string[] =>
  enabled && policies.length === 0
    ? ["tools.adversarial_policy is on and has no policy: write some into tools.adversarial_policy.policies, or name a policy_file."]
    : [];

/** A policy whose phases no judged call is made in. Commands that a tool starts to check something (`verifier`) are not put before a model. */
function phaseless({ adversarial: { enabled, policies, exempt_tools } }: Rulebook, tools: ReadonlyMap<string, AnyTool>): string[] {
  if (!enabled) return [];
  const isUpkeepJudged = [...tools.values()].some((tool) => facetsOf(tool).about === "context" && !exempt_tools.includes(tool.name));
  const judged: readonly string[] = ["planner", "executor", ...(isUpkeepJudged ? ["autonomous"] : [])];
  return policies.flatMap((one, n) => {
    if (typeof one === "string" || one.phases.some((phase) => judged.includes(phase))) return [];
    const named = [...new Set(one.phases)].join(" and ");
    return [
      `tools.adversarial_policy.policies[${n}] never applies: it counts only in the phase ${named}, and calls that are judged are made in ${judged.join(", ")}.`,
    ];
  });
}

/** Rules of the lists that are on, under the names their tools have, each with where it was written. */
const heardRules = (book: Rulebook): { readonly rule: PolicyRule; readonly written: WrittenRule }[] => {
  const written = book.written.filter(({ owner }) => book[owner].enabled);
  return heard(book).map(({ rule }, n) => ({ rule, written: written[n]! }));
};

/** A rule all of whose tools an earlier one without conditions speaks of. The opposite with the same conditions is told elsewhere. */
function shadowed(book: Rulebook): string[] {
  const wide: { readonly written: WrittenRule; readonly covers: (pattern: string, rule: PolicyRule) => boolean }[] = [];
  return heardRules(book).flatMap(({ rule, written }) => {
    const by = ruleTools(rule).map((pattern) => wide.find(({ covers }) => covers(pattern, rule))?.written);
    if (isForAll(rule)) wide.push({ written, covers: covering(rule) });
    const first = by[0];
    if (!first || by.some((one) => one === undefined || isElsewhere(written, one) || isOpposite(written, one))) return [];
    return [`"${written.key}"${placeIn(written)} is never reached: "${first.key}"${placeIn(first)} already decides all its calls.`];
  });
}

/** A rule of the authorization that says the opposite of one of the policy, with the same conditions: the policy is heard first. */
export function overruled(book: Rulebook): string[] {
  const first = new Map<string, WrittenRule>();
  for (const one of book.policy.enabled ? book.written : [])
    if (one.owner === "policy") for (const conditions of conditionsOf(one)) if (!first.has(conditions)) first.set(conditions, one);
  return book.written.flatMap((one) => {
    if (one.owner !== "authorization" || !book.authorization.enabled) return [];
    const by = conditionsOf(one)
      .flatMap((conditions) => first.get(conditions) ?? [])
      .find((other) => effectOf(other.rule) !== effectOf(one.rule) && !isElsewhere(one, other));
    if (!by) return [];
    return [
      `"${one.key}"${placeIn(one)} says ${effectOf(one.rule)} to what "${by.key}"${placeIn(by)} says ${effectOf(by.rule)} to, with the same conditions: tools.policy is heard first, so ${effectOf(by.rule)} counts.`,
    ];
  });
}

const isOpposite = (one: WrittenRule, other: WrittenRule): boolean =>
  effectOf(one.rule) !== effectOf(other.rule) && conditionsOf(one).some((conditions) => conditionsOf(other).includes(conditions));

function covering(wide: PolicyRule): (pattern: string, rule: PolicyRule) => boolean {
  const names = ruleTools(wide).map((written) => {
    const pattern = written.trim().toLowerCase();
    return { pattern, matches: compileGlob(pattern, { flavour: "text", letters: "exact" }) };
  });
  return (written, { capabilities }) => {
    if (wide.capabilities && !capabilities?.every((one) => wide.capabilities!.includes(one))) return false;
    const wanted = written.trim().toLowerCase();
    // Of two patterns it is not worked out which is the wider, but for the widest.
    return names.some(({ pattern, matches }) => pattern === wanted || pattern === "*" || (!WILD.test(wanted) && matches(wanted)));
  };
}

const WILD = /[*?[\]{}\\]/;

/** A pattern that no tool's name fits. Tools of servers come later; what may be one of theirs is no mistake. */
function toolless(book: Rulebook, known: ReadonlySet<string>): string[] {
  return heardRules(book).flatMap(({ rule, written }) =>
    ruleTools(rule).flatMap((name) => {
      const pattern = name.trim().toLowerCase();
      const start = /^[^*?[{\\]*/.exec(pattern)![0];
      if (!WILD.test(pattern) || start.startsWith(SERVER_PREFIX) || SERVER_PREFIX.startsWith(start)) return [];
      const matches = compileGlob(pattern, { flavour: "text", letters: "exact" });
      return [...known].some(matches)
        ? []
        : [`"${written.key}"${placeIn(written)} names the tools "${name}", and no tool has such a name.`];
    }),
  );
}

const addressless = ({ live: { tools: all } }: Rulebook, tools: ReadonlyMap<string, AnyTool>): string[] =>
  all.scoped.constraints.flatMap(({ tool, allowed_domains }, n) => {
    const effect = tools.get(tool.trim().toLowerCase())?.effect;
    const touchesNone = effect === "reads" || effect === "stores" || effect === "writes";
    if (!all.scoped.enabled || allowed_domains.length === 0 || !touchesNone) return [];
    return [`tools.scoped.constraints[${n}].allowed_domains limits nothing: ${tool} opens no address.`];
  });

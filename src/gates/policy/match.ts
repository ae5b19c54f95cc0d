import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { boundTo, isAtLeast } from "../../core/ports/skill.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { Trust, TurnContext } from "../../core/turn.ts";
import { bounded } from "../../text/visible.ts";
import { type Find, finder } from "./find-text.ts";
import { createPathGlob, type PathGlob, type Touched, touched } from "./paths.ts";
import { effectOf, type PolicyRule, type Regexes } from "./rule.ts";
import { type ToolTest, toolTest } from "./tool-test.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** A rule in the list, and whose it is. */
export interface OwnedRule {
  readonly owner: "policy" | "authorization";
  readonly rule: PolicyRule;
  /** Where it is written, in a few letters: `policy.toml:7`. Null for what no file says. */
  readonly where?: () => string | null;
}

/** The rule that decides about a call, and why it speaks of it. */
export interface RuleMatch {
  readonly owner: OwnedRule["owner"];
  readonly effect: "allow" | "deny";
  /** `rule[3] deny`, and where it is written: the number runs over all lists and files. */
  readonly short: string;
  /** The same with every condition that held. */
  readonly trace: string;
}

export type FirstMatch = (call: ToolCall, turn: TurnContext) => RuleMatch | null;

/** The first rule of the list whose conditions all hold. Which rules can speak of a tool at all is found out once. Others are left out by `isHeard`. */
export function firstPolicyMatch(
  list: readonly OwnedRule[],
  facts: Facts,
  env: Env,
  regexes: Regexes,
  isHeard: (rule: PolicyRule) => boolean = () => true,
): FirstMatch {
  const rules = list.map((one, index) => compile(one, index, facts, regexes)).filter(({ rule }) => isHeard(rule));
  const byTool = new WeakMap<AnyTool, readonly About[]>();
  const about = (tool: AnyTool): readonly About[] => {
    const known = byTool.get(tool);
    if (known) return known;
    const mine = rules.flatMap((one): About[] => {
      const by = one.speaksOf(tool);
      return by === null ? [] : [{ ...one, by }];
    });
    byTool.set(tool, mine);
    return mine;
  };
  return (call, turn) => {
    const seen = viewed(call, turn, facts, env);
    for (const one of about(call.tool)) {
      const why = holds(one, seen);
      if (why) return spoken(one, call.tool, why);
    }
    return null;
  };
}

/** All of one shape, whatever the rule says: every call is held against many of them. */
interface Compiled {
  readonly owner: OwnedRule["owner"];
  readonly rule: PolicyRule;
  readonly effect: "allow" | "deny";
  /** `rule[3] deny (policy.toml:7)` */
  readonly short: () => string;
  readonly speaksOf: ToolTest;
  readonly trust: Trust | null;
  readonly env: readonly string[] | null;
  readonly paths: readonly PathGlob[] | null;
  readonly expression: ReturnType<Regexes> | null;
}

interface About extends Compiled {
  /** The pattern that fits the tool's name. */
  readonly by: string;
}

function compile({ owner, rule, where }: OwnedRule, index: number, facts: Facts, regexes: Regexes): Compiled {
  const effect = effectOf(rule);
  let short: string | undefined;
  return {
    owner,
    rule,
    effect,
    // A file is searched for the place, so not before somebody wants to know.
    short() {
      if (short === undefined) {
        const at = where?.() ?? null;
        short = `rule[${index}] ${effect}${at === null ? "" : ` (${at})`}`;
      }
      return short;
    },
    speaksOf: toolTest(rule),
    trust: rule.trust_level ?? null,
    env: rule.env ?? null,
    paths: rule.paths?.map((pattern) => createPathGlob(pattern, facts)) ?? null,
    expression: rule.args_match === undefined ? null : regexes(rule.args_match),
  };
}

/** What conditions look at, each worked out when the first rule asks. */
interface View {
  readonly env: Env;
  readonly trust: Trust;
  touched(): Touched;
  find(effect: "allow" | "deny"): Find;
}

function viewed(call: ToolCall, turn: TurnContext, facts: Facts, env: Env): View {
  let places: Touched | undefined;
  const finders: Partial<Record<"allow" | "deny", Find>> = {};
  return {
    env,
    trust: boundTo(turn)?.trust ?? "trusted",
    touched: () => (places ??= touched(call, facts)),
    find: (effect) => (finders[effect] ??= finder(call, effect)),
  };
}

/** The conditions that held besides the tool's name, in words; null when one did not. Most do not: words are made last. */
function holds(one: Compiled, view: View): string[] | null {
  const { effect, trust, env, paths, expression } = one;
  // A lower trust gets no more: an allow is for callers at least that trusted, a deny for callers at most that trusted.
  if (trust !== null && !(effect === "allow" ? isAtLeast(view.trust, trust) : isAtLeast(trust, view.trust))) return null;
  if (env !== null) for (const name of env) if (!view.env[name]) return null;
  let path: string | null = null;
  if (paths !== null) {
    path = effect === "allow" ? allCovered(paths, view.touched()) : oneFound(paths, view.touched());
    if (path === null) return null;
  }
  const found = expression === null ? true : view.find(effect)(expression);
  // What cannot be told counts as found where it is forbidden, and as not found where it is allowed.
  if (found === false || (found === null && effect === "allow")) return null;
  const { args_match, capabilities } = one.rule;
  return [
    ...(trust === null ? [] : [`trust_level ${trust} (the caller is ${view.trust})`]),
    ...(env === null ? [] : [`env ${env.join(", ")} is set`]),
    ...(path === null ? [] : [path]),
    ...(args_match === undefined
      ? []
      : [`args_match ${quoted(args_match)}${found === null ? " (the arguments are too long to be searched)" : ""}`]),
    ...(capabilities ? [`capabilities ${capabilities.join(", ")}`] : []),
  ];
}

function oneFound(globs: readonly PathGlob[], { places }: Touched): string | null {
  for (const place of places)
    for (const { pattern, finds } of globs) if (finds(place)) return `paths ${quoted(pattern)} matched ${bounded(place.written, 120)}`;
  return null;
}

/** An allow for one folder must not let in a call that touches another as well, or one of which not everything is known. */
function allCovered(globs: readonly PathGlob[], { places, isOpen }: Touched): string | null {
  if (isOpen || places.length === 0) return null;
  const by = places.map((place) => globs.find(({ covers }) => covers(place)));
  if (by.includes(undefined)) return null;
  return `paths ${quoted(by[0]!.pattern)} matched ${bounded(places[0]!.written, 120)}${places.length > 1 ? ` and ${places.length - 1} more` : ""}`;
}

function spoken({ owner, effect, short, by }: About, tool: AnyTool, why: readonly string[]): RuleMatch {
  return { owner, effect, short: short(), trace: [`${short()}: tool=${tool.name} matched ${quoted(by)}`, ...why].join(", ") };
}

const quoted = (text: string) => JSON.stringify(bounded(text, 120));

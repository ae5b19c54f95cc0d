import type { ToolCall } from "../core/call.ts";
import type { Facts } from "../core/facts.ts";
import { compileGlob, type Matcher } from "../core/glob.ts";
import { boundTo } from "../core/skill.ts";
import type { AnyTool } from "../core/tool.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { type PathGlob, pathGlob, type Touched, touched } from "./policy-paths.ts";
import { effectOf, type PolicyRule, type Regexes, toolsOf } from "./policy-rule.ts";
import { type Find, finder } from "./policy-text.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** A rule in the list, and whose it is. */
export interface Heard {
  readonly owner: "policy" | "authorization";
  readonly rule: PolicyRule;
}

/** The rule that decides about a call, and why it speaks of it. */
export interface Match {
  readonly owner: Heard["owner"];
  readonly effect: "allow" | "deny";
  /** `rule[3] deny` */
  readonly short: string;
  /** The same with every condition that held. */
  readonly trace: string;
}

export type FirstMatch = (call: ToolCall, turn: TurnContext) => Match | null;

/** Tools come and go; what was found out about them is not kept for ever. */
const MOST_TOOLS = 1000;

/** The first rule of the list whose conditions all hold. Which rules can speak of a tool at all is found out once. */
export function firstMatch(list: readonly Heard[], facts: Facts, env: Env, regexes: Regexes): FirstMatch {
  const rules = list.map((one, index) => compile(one, index, facts, regexes));
  const byTool = new Map<string, readonly Compiled[]>();
  const about = (tool: AnyTool): readonly Compiled[] => {
    const key = `${tool.effect} ${tool.name}`;
    const known = byTool.get(key);
    if (known) return known;
    if (byTool.size >= MOST_TOOLS) byTool.clear();
    const mine = rules.filter(
      (one) => one.names.some(({ matches }) => matches(tool.name)) && (one.rule.capabilities?.includes(tool.effect) ?? true),
    );
    byTool.set(key, mine);
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

interface Compiled extends Heard {
  readonly index: number;
  readonly effect: "allow" | "deny";
  readonly names: readonly { readonly pattern: string; readonly matches: Matcher }[];
  readonly paths: readonly PathGlob[] | null;
  readonly expression: ReturnType<Regexes> | null;
}

function compile({ owner, rule }: Heard, index: number, facts: Facts, regexes: Regexes): Compiled {
  return {
    owner,
    rule,
    index,
    effect: effectOf(rule),
    names: toolsOf(rule).map((pattern) => ({ pattern, matches: compileGlob(pattern.trim(), { flavour: "text", letters: "any case" }) })),
    paths: rule.paths?.map((pattern) => pathGlob(pattern, facts)) ?? null,
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

const LEVELS: readonly Trust[] = ["untrusted", "provisional", "trusted"];

/** The conditions that held besides the tool's name, in words; null when one did not. */
function holds({ rule, effect, paths, expression }: Compiled, view: View): string[] | null {
  const why: string[] = [];
  if (rule.trust_level) {
    const above = LEVELS.indexOf(view.trust) - LEVELS.indexOf(rule.trust_level);
    // Whoever is believed less gets no more: an allow is for those at least that trusted, a deny for those at most.
    if (effect === "allow" ? above < 0 : above > 0) return null;
    why.push(`trust_level ${rule.trust_level} (the caller is ${view.trust})`);
  }
  if (rule.env) {
    if (!rule.env.every((name) => view.env[name])) return null;
    why.push(`env ${rule.env.join(", ")} is set`);
  }
  if (paths) {
    const path = effect === "allow" ? allCovered(paths, view.touched()) : oneFound(paths, view.touched());
    if (path === null) return null;
    why.push(path);
  }
  if (expression !== null) {
    const found = view.find(effect)(expression);
    // What cannot be told counts as found where it is forbidden, and as not found where it is allowed.
    if (found === false || (found === null && effect === "allow")) return null;
    why.push(`args_match ${quoted(rule.args_match!)}${found === null ? " (the arguments are too long to be searched)" : ""}`);
  }
  if (rule.capabilities) why.push(`capabilities ${rule.capabilities.join(", ")}`);
  return why;
}

function oneFound(globs: readonly PathGlob[], { places }: Touched): string | null {
  for (const place of places)
    for (const { pattern, finds } of globs) if (finds(place)) return `paths ${quoted(pattern)} matched ${shortened(place.written)}`;
  return null;
}

/** An allow for one folder must not let in a call that touches another as well, or one of which not everything is known. */
function allCovered(globs: readonly PathGlob[], { places, isOpen }: Touched): string | null {
  if (isOpen || places.length === 0) return null;
  const by = places.map((place) => globs.find(({ covers }) => covers(place)));
  if (by.includes(undefined)) return null;
  return `paths ${quoted(by[0]!.pattern)} matched ${shortened(places[0]!.written)}${places.length > 1 ? ` and ${places.length - 1} more` : ""}`;
}

function spoken({ owner, index, effect, names }: Compiled, tool: AnyTool, why: readonly string[]): Match {
  const by = names.find(({ matches }) => matches(tool.name))!;
  const short = `rule[${index}] ${effect}`;
  return { owner, effect, short, trace: [`${short}: tool=${tool.name} matched ${quoted(by.pattern)}`, ...why].join(", ") };
}

const shortened = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
const quoted = (text: string) => JSON.stringify(shortened(text));

import { callKey, type ToolCall } from "../core/call.ts";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS, type Verdict } from "../core/gate/verdict.ts";
import { lowest } from "../core/ports/skill.ts";
import type { Effect, Toolset } from "../core/tool.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { callerOf } from "./permissions/identity.ts";
import { spanText } from "./time-span.ts";

export interface TrustGate extends Gate {
  /** How far a tool itself is believed, for good or up to a moment in milliseconds. An untrusted one is refused, whatever it does. */
  set(tool: string, level: Trust, until?: number): void;
  levelOf(tool: string): Trust;
  /** How far a call of this tool in this turn is believed: the least of everybody behind it. */
  effective(tool: string, turn: TurnContext): Trust;
  /** Answers the question about exactly this call with yes, until the session begins anew. */
  grant(call: ToolCall): void;
}

/** The effects that a level of trust allows. A lower level allows no more. */
const MAY: Readonly<Record<Trust, { readonly pass: readonly Effect[]; readonly ask: readonly Effect[] }>> = {
  untrusted: { pass: ["reads"], ask: [] },
  provisional: { pass: ["reads", "stores"], ask: ["writes", "runs", "fetches", "unknown"] },
  trusted: { pass: ["reads", "stores", "writes", "runs", "fetches", "unknown"], ask: [] },
};

const MOST_GRANTS = 10_000;

export interface TrustMemory {
  /** Tools that are believed less than others. */
  readonly levels: Map<string, { readonly level: Trust; readonly until: number }>;
  readonly granted: Set<string>;
  /** What was asked about a call that is still open. */
  readonly asked: WeakMap<ToolCall, string>;
}
export const trustMemory = (): TrustMemory => ({ levels: new Map(), granted: new Set(), asked: new WeakMap() });

/** The origin of a tool: a server, or a program. */
export type TrustOrigin = Pick<Toolset, "id" | "trust">;

/** Holds a call to the least that anybody behind it is believed: the caller, the skills whose text a model has read, the origin of the tool, the tool. */
export function createTrustGate(
  autonomy: "readonly" | "supervised" | "edits" | "full",
  memory: TrustMemory = trustMemory(),
  originOf: (tool: string) => TrustOrigin | undefined = () => undefined,
  now: () => number = Date.now,
  placesOf: (call: ToolCall) => unknown = () => null,
): TrustGate {
  const { levels, granted, asked } = memory;
  const levelOf = (tool: string): Trust => {
    const known = levels.get(tool);
    if (known && now() >= known.until) levels.delete(tool);
    return levels.get(tool)?.level ?? "trusted";
  };
  const leastOf = (tool: string, turn: TurnContext) => leastBelieved(tool, turn, levelOf(tool), originOf(tool));
  return {
    name: "trust",
    alsoJudges: ONLY_CALLS,
    judge(call, turn) {
      const { name, effect } = call.tool;
      if (levelOf(name) === "untrusted") return refused(name, levels.get(name)!.until - now());
      const least = leastOf(name, turn);
      const { pass, ask } = MAY[least.level];
      if (pass.includes(effect)) return PASS;
      const rule = `${least.level} ${least.kind}`;
      if (!ask.includes(effect)) return { kind: "deny", rule, why: `${least.who} is untrusted and may only read. ${least.how}` };
      if (autonomy === "full") return { kind: "pass", rule: "autonomy = full" };
      const about = callKey(call, least.who, callerOf(turn) ?? null, call.cwd, placesOf(call));
      if (granted.has(about) && !turn.unattended) return { kind: "pass", rule: "granted for this session", noted: { grant: "session" } };
      asked.set(call, about);
      return { kind: "ask", rule, why: `${least.who} is provisional: nobody has trusted it yet. ${least.how}`, about } satisfies Verdict;
    },
    set(tool, level, until = Number.POSITIVE_INFINITY) {
      if (level === "trusted") levels.delete(tool);
      else levels.set(tool, { level, until });
    },
    levelOf,
    effective: (tool, turn) => leastOf(tool, turn).level,
    grant(call) {
      const about = asked.get(call);
      if (about !== undefined && granted.size < MOST_GRANTS) granted.add(about);
    },
    state() {
      const untrusted = [...levels.keys()].filter((tool) => levelOf(tool) === "untrusted");
      return untrusted.length === 0 ? "on" : `on, not used: ${untrusted.join(", ")}`;
    },
    reset: () => granted.clear(),
  };
}

/** What a person can do about it is theirs to read; a model is told when the tool comes back, so that it neither tries on nor gives up for good. */
function refused(tool: string, leftMs: number): Verdict {
  const rule = "untrusted tool";
  const how = `Find out what is wrong with it, then type \`/unblock ${tool}\`.`;
  if (leftMs === Number.POSITIVE_INFINITY) {
    const told = `${tool} itself is not trusted, so it is not used.`;
    return { kind: "deny", rule, why: `${told} ${how}`, told };
  }
  const left = spanText(leftMs / 1000);
  const told = `${tool} failed too often and is not used for now. It comes back by itself in ${left}, or at once when the user types /unblock ${tool}.`;
  const advice = `Go on without ${tool}; it may be called again in ${left}.`;
  return { kind: "deny", rule, why: `${told} ${how}`, told, advice };
}

interface Least {
  readonly level: Trust;
  readonly kind: "skill" | "caller" | "toolset" | "tool";
  readonly who: string;
  /** What a person can do about it. */
  readonly how: string;
}

function leastBelieved(
  name: string,
  { trust: level, skillName, callerId, seen }: TurnContext,
  tool: Trust,
  origin: TrustOrigin | undefined,
): Least {
  const caller: Least =
    skillName === undefined
      ? {
          level,
          kind: "caller",
          who: callerId === undefined ? "The caller" : `The caller "${callerId}"`,
          how: "Its trust is set where the caller comes from.",
        }
      : ofSkill(skillName, level, "then have it carried out again");
  const all: Least[] = [
    caller,
    ...(seen.skill ? [ofSkill(seen.skill.name, seen.skill.trust, "then begin a new conversation")] : []),
    ...(origin?.trust === undefined ? [] : [ofOrigin(name, origin.id, origin.trust)]),
    { level: tool, kind: "tool", who: `The tool ${name}`, how: "Its trust is set where the tool comes from." },
  ];
  const lowestLevel = lowest(...all.map((one) => one.level));
  // A word that is no level counts as the lowest.
  return { ...all.find((one) => lowest(one.level) === lowestLevel)!, level: lowestLevel };
}

const ofOrigin = (tool: string, id: string, level: Trust): Least => ({
  level,
  kind: "toolset",
  who: `"${id}", which brings the tool ${tool},`,
  how: "Its trust is set where it is added; for an MCP server that is `trust` in [[mcp.servers]].",
});

const ofSkill = (name: string, level: Trust, then: string): Least => ({
  level,
  kind: "skill",
  who: `The skill "${name}"`,
  how: `To change that, look at it and run \`zeph trust --skill ${name}\`, ${then}.`,
});

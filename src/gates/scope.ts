import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS } from "../core/gate/verdict.ts";
import type { Trust, TurnContext } from "../core/turn.ts";

export interface ScopeRules {
  readonly enabled: boolean;
  readonly require_capability: boolean;
}

/** How far a call is believed: the least of everybody behind it, not the caller alone. */
export type Effective = (tool: string, turn: TurnContext) => Trust;

/** With `require_capability`, only what everybody behind it is trusted for may write, run or fetch. */
export const createScopeGate = ({ enabled, require_capability }: ScopeRules, effective: Effective): Gate => ({
  name: "scope",
  alsoJudges: ONLY_CALLS,
  state: () => (enabled && require_capability ? "only a trusted caller may do more than read" : "off"),
  judge({ tool }, turn) {
    if (!enabled || !require_capability || tool.effect === "reads" || tool.effect === "stores") return PASS;
    const trust = effective(tool.name, turn);
    if (trust === "trusted") return PASS;
    const who =
      turn.trust === trust ? "the caller" : "something behind the call (a skill that was read, the server of the tool, or the tool itself)";
    return {
      kind: "deny",
      rule: "tools.scope.require_capability",
      why: `${tool.name} does more than read, and ${who} is ${trust}. Only a trusted caller may use it, with nothing less trusted behind it.`,
    };
  },
});

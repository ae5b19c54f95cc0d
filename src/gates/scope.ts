import { type Gate, PASS } from "../core/door.ts";

export interface Scope {
  readonly enabled: boolean;
  readonly require_capability: boolean;
}

/** With `require_capability`, only a trusted caller may use what writes, runs or fetches. */
export const scope = ({ enabled, require_capability }: Scope): Gate => ({
  name: "scope",
  state: () => (enabled && require_capability ? "only a trusted caller may do more than read" : "off"),
  judge({ tool }, turn) {
    if (!enabled || !require_capability || turn.trust === "trusted" || tool.effect === "reads" || tool.effect === "stores") return PASS;
    return {
      kind: "deny",
      rule: "tools.scope.require_capability",
      why: `${tool.name} does more than read, and the caller is ${turn.trust}. Only a trusted caller may use it.`,
    };
  },
});

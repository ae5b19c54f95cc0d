import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS } from "../core/gate/verdict.ts";
import type { TurnContext } from "../core/turn.ts";

/** What the catalogue knows: which tools a call has to wait for. */
export interface Requirements {
  /** Tools that have to succeed before this one may be called in this turn. */
  unmet(tool: string, turn: TurnContext): readonly string[];
  succeeded(tool: string): void;
}

/** Refuses exactly the tools that the catalogue hides because of what they require. Null: nothing requires anything. */
export function createDependenciesGate(requirements: Requirements | null): Gate {
  if (!requirements) return { name: "dependencies", alsoJudges: ONLY_CALLS, judge: () => PASS, state: () => "off" };
  return {
    name: "dependencies",
    alsoJudges: ONLY_CALLS,
    judge({ tool }, turn) {
      const names = requirements.unmet(tool.name, turn);
      if (names.length === 0) return PASS;
      const list = names.join(", ");
      return {
        kind: "deny",
        rule: `requires ${list}`,
        why: `${tool.name} may be called once ${list} ${names.length === 1 ? "has" : "have"} succeeded.`,
      };
    },
    settled({ tool, input }, outcome) {
      // A command that ran and failed has not done what others wait for; one that was only rehearsed has done nothing.
      if (outcome.ok && (outcome.output.exitCode ?? 0) === 0 && input?.dry_run !== true) requirements.succeeded(tool.name);
    },
  };
}

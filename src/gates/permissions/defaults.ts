import { NO_WALLS, PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { AnyTool, Effect } from "../../core/tool.ts";
import type { ClientSide } from "../../core/turn.ts";
import type { Understanding } from "../../shell/understanding.ts";

/** Who deals with what a command does out of sight: walls hold it; a client asks about what it runs itself, but not about where that writes. */
type Holder = "walls" | "the client" | "nobody";

/**
 * Unknown is never safe, whatever the rules say. What a known program does with code or settings it is given is held by walls, as everything is
 * that a program of the project does.
 */
export function doubtsAbout({ unknown, constructs }: Understanding, asks: "ask" | "look", heldBy: Holder): Verdict[] {
  const open = unknown
    .filter(({ confined, target }) => !confined || heldBy === "nobody" || (heldBy === "the client" && target))
    .slice(0, 1)
    .map(
      ({ why, where }): Verdict => ({
        kind: "ask",
        rule: "unknown",
        why: `Not everything the command does can be known: ${why}${where.inside && ` (${where.inside})`}.`,
      }),
    );
  if (asks === "ask" && constructs[0])
    open.push({
      kind: "ask",
      rule: `construct ${constructs[0].kind}`,
      why: `The command uses ${constructs[0].kind}, and tools.shell.constructs asks about that.`,
    });
  return open;
}

/** What happens to a tool nobody wrote a rule for. */
const DEFAULTS: Record<Effect, "pass" | "ask"> = {
  reads: "pass",
  stores: "pass",
  writes: "ask",
  runs: "ask",
  fetches: "ask",
  unknown: "ask",
};
const DOES: Record<Effect, string> = {
  reads: "reads",
  stores: "keeps something in the store",
  writes: "changes files",
  runs: "runs a program",
  fetches: "reaches out to the network",
  unknown: "may do anything",
};

/** What these start is judged itself. */
const STARTERS: readonly string[] = ["invoke_skill"];

/** Of another agent's calls, what no rule speaks of is its own to ask about, if it does; but nobody knows what an unknown tool does. */
export async function withoutRules(
  { name, effect }: AnyTool,
  walls: () => boolean | Promise<boolean>,
  client: ClientSide | undefined,
): Promise<Verdict> {
  if (DEFAULTS[effect] === "pass" || STARTERS.includes(name)) return PASS;
  if (client?.unruled === "left to it" && effect !== "unknown") return { kind: "pass", rule: "left to the client" };
  if (effect === "runs" && client?.walls !== "none" && (await walls())) return { kind: "pass", rule: "walls" };
  if (effect === "runs")
    return { kind: "ask", rule: NO_WALLS, why: `${name} ${DOES[effect]}, no walls stand around it, and no rule allows it.` };
  return { kind: "ask", rule: null, why: `${name} ${DOES[effect]}, and no rule allows it.` };
}

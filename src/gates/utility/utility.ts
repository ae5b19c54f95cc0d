import * as z from "zod";
import type { ToolCall } from "../../core/call.ts";
import { facetsOf } from "../../core/facets.ts";
import { type Gate, ONLY_CALLS } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Outcome } from "../../core/layer.ts";
import { setting } from "../../core/setting.ts";
import type { Effect } from "../../core/tool.ts";
import { isPersons, type TurnContext } from "../../core/turn.ts";
import { makeOnce } from "../../text/make-once.ts";
import { bounded } from "../../text/visible.ts";
import {
  answered,
  called,
  conversationOf,
  hasRoom,
  knownOf,
  outdated,
  pastOf,
  recallUtility,
  rememberSkip,
  skipKey,
  type UtilityMemory,
} from "./memory.ts";
import { isRequested, spoken } from "./requested.ts";
import { BUDGET_TOKENS, type Components, componentsOf, type Scorer, score } from "./score.ts";

export { type UtilityMemory, utilityMemory } from "./memory.ts";

const weight = (value: number, of: string) => setting(z.number().min(0).max(10).default(value), `How much ${of} counts.`);

export const utilityConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(false), "Skip calls that are expected to bring little. A call that is asked for again runs."),
      threshold: setting(z.number().min(-10).max(10).default(0), "Calls whose score is below this are skipped."),
      exempt_tools: setting(z.array(z.string().min(1)).default(["load_skill", "invoke_skill"]), "Tools that are never skipped."),
      gain_weight: weight(1, "what a call is expected to bring"),
      cost_weight: weight(0.5, "what its answer is expected to take of the context"),
      redundancy_weight: weight(0.3, "how much it repeats an earlier call"),
      exploration_weight: weight(0.2, "that a tool has hardly been used"),
    })
    .prefault({}),
);
export type UtilityConfig = z.output<ReturnType<typeof utilityConfig>>;

export interface UtilityGate extends Gate {
  /** What the person said in a conversation: what they asked for is not skipped. */
  heard(conversation: string, text: string): void;
}

/** These leave the world as it is. */
const CHANGES_NOTHING: readonly Effect[] = ["reads", "fetches"];
/** Two rounds without a call, and not more: the loop takes three that are alike for the end. */
const MOST_IN_A_ROW = 2;
const MOST_IN_A_TURN = 4;

/** Skips what a model wants to read and what promises little. It cannot stall a turn: what is asked for again runs, and only a few are skipped at all. */
export function createUtilityGate(config: UtilityConfig, memory: UtilityMemory, scorer: Scorer = score): UtilityGate {
  if (!config.enabled) return { name: "utility", alsoJudges: ONLY_CALLS, judge: () => PASS, heard() {}, state: () => "off" };
  const exempt = new Set(config.exempt_tools);
  // A skill is there to be read, whatever the list says.
  const isExempt = ({ tool }: ToolCall) => exempt.has(tool.name) || facetsOf(tool).about === "skill";

  const decide = (call: ToolCall, turn: TurnContext): Verdict => {
    if (memory.skipped.size > 0 && memory.skipped.has(skipKey(call, turn))) return AGAIN;
    const known = knownOf(memory, conversationOf(turn));
    if (known && isRequested(call, known.said)) return REQUESTED;
    const skips = known?.inTurn.id === turn.turnId ? known.inTurn.skips : 0;
    if ((known?.inARow ?? 0) >= MOST_IN_A_ROW || skips >= MOST_IN_A_TURN || !hasRoom(memory, turn)) return ENOUGH;
    try {
      const components = componentsOf(call, pastOf(call, known));
      const worth = scorer(components, config);
      if (!Number.isFinite(worth)) return skip(call, null, "its worth could not be computed");
      if (worth >= config.threshold) return { kind: "pass", rule: `score ${rounded(worth)}` };
      return skip(call, `score ${rounded(worth)} < tools.utility.threshold = ${config.threshold}`, reason(components));
    } catch {
      return skip(call, null, "its worth could not be computed");
    }
  };

  return {
    name: "utility",
    alsoJudges: ONLY_CALLS,
    judge(call, turn) {
      if (isPersons(turn) || call.tool.effect !== "reads" || isExempt(call)) return PASS;
      const verdict = memory.judged.get(call) ?? decide(call, turn);
      memory.judged.set(call, verdict);
      return verdict;
    },
    admitted(call, turn) {
      const conversation = recallUtility(memory, conversationOf(turn));
      conversation.inARow = 0;
      if (call.tool.effect !== "reads") return;
      called(call, conversation);
      if (memory.skipped.size > 0) memory.skipped.delete(skipKey(call, turn));
    },
    settled(call, outcome, turn) {
      if (wasSkipped(outcome)) {
        const conversation = recallUtility(memory, conversationOf(turn));
        conversation.inARow += 1;
        if (conversation.inTurn.id !== turn.turnId) conversation.inTurn = { id: turn.turnId, skips: 0 };
        conversation.inTurn.skips += 1;
        rememberSkip(memory, skipKey(call, turn), turn);
      } else if (outcome.decision.verdict !== "allow") return;
      else if (!CHANGES_NOTHING.includes(call.tool.effect)) memory.changes += 1;
      else if (outcome.ok && call.tool.effect === "reads") answered(call, outcome.output.text, recallUtility(memory, conversationOf(turn)));
    },
    heard(id, text) {
      const conversation = recallUtility(memory, id);
      conversation.said = spoken(text);
      // A person was at the keyboard, and files may be others than they were.
      outdated(conversation);
    },
    state: () => `threshold ${config.threshold}, ${memory.skipped.size} skipped and not asked for again`,
    reset() {
      memory.conversations.clear();
      memory.skipped.clear();
    },
  };
}

const AGAIN: Verdict = Object.freeze({ kind: "pass", rule: "asked for again" });
const REQUESTED: Verdict = Object.freeze({ kind: "pass", rule: "asked for by the person" });
const ENOUGH: Verdict = Object.freeze({ kind: "pass", rule: "enough was skipped" });

const wasSkipped = ({ decision }: Outcome) => decision.verdict === "deny" && decision.gate === "utility" && decision.by === undefined;

/** It names the call, so that the answers to two of them are not alike. */
const skip = ({ tool, input }: ToolCall, rule: string | null, why: string): Verdict => ({
  kind: "deny",
  rule: rule ?? "no score",
  why: `skipped: ${tool.name} ${bounded(JSON.stringify(input), MOST_SHOWN - 1)} was not run, because ${why}. If it is needed, ask for it again as it is: then it runs.`,
  advice: "Go on without it, or call it again as it is.",
});

function reason({ cost, redundancy }: Components): string {
  if (redundancy === 1) return "it was answered before and nothing has changed since";
  if (cost > 0.5) return `answers of this tool are long (about ${Math.round(cost * BUDGET_TOKENS)} tokens)`;
  return redundancy > 0.25 ? "it is much like an earlier call" : "it is expected to bring little";
}

const rounded = (value: number) => Math.round(value * 100) / 100;
const MOST_SHOWN = 120;

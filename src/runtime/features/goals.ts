import { goalLine } from "../../agent/plan/plan-text.ts";
import type { Goal } from "../../core/ports/goal.ts";
import { updatePlan } from "../../tools/update-plan.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import { planCommand } from "./goals-command.ts";
import { openGoalsDesk } from "./goals-state.ts";

export interface GoalsPart extends Part {
  /** What the agent works towards now; its id goes with every call. */
  active(): Promise<Goal | null>;
  /** For the beginning of a turn: what the conversation has not heard yet about the goal, null when there is nothing new. */
  tell(conversation: string): Promise<string | null>;
  /** The conversation was shortened or ended: the next turn is told again. */
  forget(conversation: string): void;
}

/** Goals and their plans: `/plan` for the person, `update_plan` for the model. */
export function goalsPart(s: Pick<Surroundings, "config" | "store" | "workspace" | "mind" | "redact" | "emit">): GoalsPart {
  const desk = openGoalsDesk(s);
  const update = updatePlan(async (change, { conversationId }) => {
    const changed = await desk.change(change);
    // Its answer says how things stand; the next turn need not say it again.
    if ("goal" in changed && conversationId !== undefined) desk.told(conversationId, changed.goal);
    return changed;
  });
  return {
    tools: [update],
    commands: [planCommand(desk, s)],
    async status() {
      const goal = await desk.active();
      return { goal: goal ? goalLine(goal) : "none" };
    },
    active: desk.active,
    tell: desk.tell,
    forget: desk.forget,
  };
}

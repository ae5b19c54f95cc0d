import * as z from "zod";
import { ToolError } from "../core/error.ts";
import type { TaskStatus } from "../core/ports/goal.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { makeOnce } from "../text/make-once.ts";

const input = makeOnce(() =>
  z.strictObject({
    task: z.int().min(1).max(50).describe("Its number in the plan"),
    status: z.enum(["active", "done", "failed", "open"]),
    note: z.string().max(500).optional().describe("What came of it, in a few words"),
  }),
);

export interface PlanChange {
  readonly n: number;
  readonly status: TaskStatus;
  readonly note?: string;
}

/** The outcome of a change: the next task, or why it cannot be made and what to do instead. */
export type Changed<T = object> = (T & { readonly text: string }) | { readonly refused: string; readonly advice?: string };

/** Lets the model report on the plan of the goal its turn works towards, whichever is active by now. */
export const updatePlan = (
  change: (change: PlanChange & { readonly goalId: string }, turn: TurnContext) => Promise<Changed>,
): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "update_plan",
    description: "Report on a task of the goal's plan: active when you begin it, done, failed, or open again. Says what is ready next.",
    effect: "stores",
    facets: { answers: "fresh", shape: "whole", needs: "conversation", about: "plan" },
    input,
    touches: () => [],
    async run(permit, { turn }) {
      const { task, status, note } = permit.input;
      const { goalId } = turn;
      // What somebody else works towards is not this caller's to report on.
      if (goalId === undefined) throw new ToolError("permanent_failure", NO_GOAL, { advice: OTHERWISE });
      const changed = await change({ n: task, status, goalId, ...(note !== undefined && { note }) }, turn);
      if ("refused" in changed) {
        const { refused, advice = "Go on with a task that is ready." } = changed;
        throw new ToolError("permanent_failure", refused, { advice });
      }
      return { text: changed.text };
    },
  });

const NO_GOAL = "This call belongs to no goal, so there is no plan to report on.";
/** For a model whose goal is not there, or not any more. */
export const OTHERWISE = "Leave the plan alone and do what you were asked to do.";

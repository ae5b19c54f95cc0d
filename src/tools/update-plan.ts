import * as z from "zod";
import { ToolError } from "../core/error.ts";
import type { TaskStatus } from "../core/goal.ts";
import { defineTool, type Tool, type ToolOutput } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";

const input = z.strictObject({
  task: z.int().min(1).max(50).describe("Its number in the plan"),
  status: z.enum(["active", "done", "failed", "open"]),
  note: z.string().max(500).optional().describe("What came of it, in a few words"),
});

export interface PlanChange {
  readonly n: number;
  readonly status: TaskStatus;
  readonly note?: string;
}

/** Lets the model report on the plan of the active goal. `change` says what is next, or why it cannot be. */
export const updatePlan = (
  change: (change: PlanChange, turn: TurnContext) => Promise<{ readonly text: string } | { readonly refused: string }>,
): Tool<typeof input> =>
  defineTool({
    name: "update_plan",
    description: "Report on a task of the goal's plan: active when you begin it, done, failed, or open again. Says what is ready next.",
    effect: "stores",
    input,
    touches: () => [],
    async run(permit, { turn }): Promise<ToolOutput> {
      const { task, status, note } = permit.input;
      const changed = await change({ n: task, status, ...(note !== undefined && { note }) }, turn);
      if ("refused" in changed) throw new ToolError("permanent_failure", changed.refused, { advice: "Go on with a task that is ready." });
      return { text: changed.text };
    },
  });

/** What the agent works towards: a text, and a graph of tasks. One of a workspace is active at a time. */
export interface Goal {
  readonly id: string;
  readonly workspace: string;
  readonly text: string;
  readonly status: GoalStatus;
  readonly tasks: readonly Task[];
  readonly createdAt: number;
  readonly updatedAt: number;
}
/** Where a goal stands. */
export type GoalStatus = "active" | "paused" | "done" | "cancelled";

/** One step of a plan. */
export interface Task {
  /** From 1, in the order of the plan. */
  readonly n: number;
  readonly title: string;
  /** Tasks that come first. */
  readonly needs: readonly number[];
  readonly status: TaskStatus;
  /** What came of it, in a few words. */
  readonly note?: string;
}
/** Where a step of a plan stands. */
export type TaskStatus = "open" | "active" | "done" | "failed";

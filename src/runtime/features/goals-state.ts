import { createHash } from "node:crypto";
import { isFinished, LONGEST_TITLE, unmetNeeds } from "../../agent/plan/plan-graph.ts";
import { GOAL_OVER, nextText, openingText, progress } from "../../agent/plan/plan-text.ts";
import type { Goal, GoalStatus, Task } from "../../core/ports/goal.ts";
import { createQueue } from "../../text/queue.ts";
import { oneLine } from "../../text/visible.ts";
import { type Changed, OTHERWISE, type PlanChange } from "../../tools/update-plan.ts";
import type { Surroundings } from "../agent/feature.ts";

/** The goals of one workspace: which is active, how its tasks stand, and who has been told. */
export interface GoalsDesk {
  /** The active one; where there is none, the one that the configuration names. */
  active(): Promise<Goal | null>;
  start(text: string, tasks: readonly Task[]): Promise<Goal>;
  /** Sets a task of this goal, which must be active; without an id, of the one that is. When all are done, so is the goal. */
  change(change: PlanChange & { readonly goalId?: string }): Promise<Changed<{ readonly goal: Goal }>>;
  setStatus(goal: Goal, status: GoalStatus): Promise<Goal>;
  /** What a conversation has not heard about the goal; null when there is nothing new. */
  tell(conversation: string): Promise<string | null>;
  /** The conversation has heard of the goal as it is, in other words. */
  told(conversation: string, goal: Goal): void;
  /** What was said in it is no longer sent to a model. */
  forget(conversation: string): void;
}

const LONGEST_NOTE = 200;

export function openGoalsDesk({
  config,
  store: { goals },
  workspace,
  redact,
  emit,
}: Pick<Surroundings, "config" | "store" | "workspace" | "redact" | "emit">): GoalsDesk {
  const inTurn = createQueue();
  const heard = recent<string, string>(1000);
  const fromConfig = configured({ text: redact(config.agent.goal_text.trim()), goals, workspace });

  /** As it is stored now, and everybody hears of it. */
  async function shown(id: string): Promise<Goal> {
    const goal = await goals.get(id);
    if (!goal) throw new Error(`The goal ${id} is gone: another program deleted it.`);
    emit({ type: "plan", goal });
    return goal;
  }
  const active = () => inTurn(async () => fromConfig.seen(await goals.active(workspace)) ?? (await fromConfig.activate()));
  const self: GoalsDesk = {
    active,
    start: (text, tasks) =>
      inTurn(async () => {
        const kept = tasks.map((task) => ({ ...task, title: oneLine(redact(task.title), LONGEST_TITLE) }));
        return shown((await goals.create({ workspace, text: redact(text), tasks: kept })).id);
      }),
    change: ({ n, status, note, goalId }) =>
      inTurn(async () => {
        const goal = goalId === undefined ? await goals.active(workspace) : await goals.get(goalId);
        if (goal?.status !== "active" || goal.workspace !== workspace)
          return { refused: goalId === undefined ? NO_GOAL : overText(goal), advice: OTHERWISE };
        const refused = problemWith(goal, n, status);
        if (refused !== null) return { refused };
        const said = note === undefined ? "" : oneLine(redact(note), LONGEST_NOTE);
        await goals.setTask(goal.id, n, { status, ...(said !== "" && { note: said }) });
        const after = await goals.get(goal.id);
        if (after && isFinished(after.tasks)) await goals.setStatus(goal.id, "done");
        const now = await shown(goal.id);
        const end = now.status === "done" ? " The goal is done." : "";
        return { goal: now, text: `Task ${n} is ${status} (${progress(now.tasks)}). ${nextText(now.tasks)}${end}` };
      }),
    setStatus: (goal, status) =>
      inTurn(async () => {
        await goals.setStatus(goal.id, status);
        fromConfig.rest(goal, status);
        return shown(goal.id);
      }),
    async tell(conversation) {
      const goal = await active();
      if (!goal) return heard.take(conversation) === undefined ? null : GOAL_OVER;
      if (heard.get(conversation) === printOf(goal)) return null;
      heard.set(conversation, printOf(goal));
      return openingText(goal);
    },
    told: (conversation, goal) => (goal.status === "active" ? heard.set(conversation, printOf(goal)) : void heard.take(conversation)),
    forget: (conversation) => void heard.take(conversation),
  };
  return self;
}

const NO_GOAL = "There is no active goal, so there is no plan to report on.";

/** Another goal may have taken its place meanwhile; a report on this one must not end up there. */
const overText = (goal: Goal | null): string =>
  `The goal of this turn is no longer active${goal ? `: it is ${goal.status}` : ""}. Nothing was changed.`;

function problemWith(goal: Goal, n: number, status: Task["status"]): string | null {
  const task = goal.tasks.find((one) => one.n === n);
  if (!task) return `The plan has no task ${n}; it has ${goal.tasks.length}. ${nextText(goal.tasks)}`;
  const unmet = status === "open" || status === "failed" ? [] : unmetNeeds(goal.tasks, task);
  if (unmet.length === 0) return null;
  return `Task ${n} cannot be ${status}: it needs ${unmet.join(", ")}, which ${unmet.length === 1 ? "is" : "are"} not done. ${nextText(goal.tasks)}`;
}

/** The goal of the configuration. It is made once, gives way to every other, and rests for this run once a person put it aside or it was reached. */
function configured({
  text,
  goals,
  workspace,
}: {
  readonly text: string;
  readonly goals: Surroundings["store"]["goals"];
  readonly workspace: string;
}) {
  let id: string | null = null;
  let isResting = text === "";
  return {
    async activate(): Promise<Goal | null> {
      if (isResting) return null;
      const known =
        id === null
          ? (await goals.list(workspace, 100)).find((goal) => goal.text === text && goal.status === "paused")
          : await goals.get(id);
      if (id !== null && known?.status !== "paused") return null;
      if (known) await goals.setStatus(known.id, "active");
      const task: Task = { n: 1, title: oneLine(text, LONGEST_TITLE), needs: [], status: "open" };
      id = known?.id ?? (await goals.create({ workspace, text, tasks: [task] })).id;
      return goals.get(id);
    },
    /** It may be active from an earlier run. */
    seen(goal: Goal | null): Goal | null {
      if (goal?.text === text) id = goal.id;
      return goal;
    },
    rest(goal: Goal, status: GoalStatus): void {
      if (goal.text === text) isResting = status !== "active";
    },
  };
}

/** What of a goal a model is told. */
const printOf = ({ id, text, tasks }: Goal): string =>
  createHash("sha256")
    .update(JSON.stringify([id, text, tasks]))
    .digest("base64");

/** A map that forgets what was set longest ago. */
function recent<K, V>(most: number) {
  const kept = new Map<K, V>();
  return {
    get: (key: K) => kept.get(key),
    set(key: K, value: V): void {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size > most) kept.delete(kept.keys().next().value!);
    },
    take(key: K): V | undefined {
      const value = kept.get(key);
      kept.delete(key);
      return value;
    },
  };
}

import type { Task } from "../../core/ports/goal.ts";
import { oneLine } from "../../text/visible.ts";

export const MOST_TASKS = 50;
export const LONGEST_TITLE = 200;
const LONGEST_ID = 20;

/** A plan that cannot be worked off; the message says why, in words a model can act on. */
export class PlanError extends Error {
  override name = "PlanError";
}

/**
 * The tasks of a model's plan, `{ tasks: [{ id, title, needs }] }`, numbered from 1 so that whatever a task needs comes before it.
 * Anything that could not be worked off to the end is a PlanError.
 */
export function tasksOf(plan: unknown): readonly Task[] {
  const given = (plan as { tasks?: unknown } | null)?.tasks;
  if (!Array.isArray(given) || given.length === 0) throw new PlanError('There must be a list "tasks" with at least one task in it.');
  if (given.length > MOST_TASKS) throw new PlanError(`There are ${given.length} tasks; ${MOST_TASKS} is the most.`);
  const drafts = given.map(draftOf);
  checkNeeds(drafts);
  const ordered = inOrder(drafts);
  const numbers = new Map(ordered.map(({ id }, at) => [id, at + 1]));
  return ordered.map(({ title, needs }, at) => ({
    n: at + 1,
    title,
    needs: needs.map((id) => numbers.get(id)!).sort((a, b) => a - b),
    status: "open",
  }));
}

/** Tasks that can be begun: open, and all they need is done. */
export const readyTasks = (tasks: readonly Task[]): readonly Task[] =>
  tasks.filter((task) => task.status === "open" && unmetNeeds(tasks, task).length === 0);

/** What has to be done before this task. */
export const unmetNeeds = (tasks: readonly Task[], { needs }: Task): readonly number[] =>
  needs.filter((need) => tasks.find(({ n }) => n === need)?.status !== "done");

export const isFinished = (tasks: readonly Task[]): boolean => tasks.length > 0 && tasks.every(({ status }) => status === "done");

interface Draft {
  /** As the model named it. */
  readonly id: string;
  readonly title: string;
  readonly needs: readonly string[];
}

function draftOf(task: unknown, at: number): Draft {
  const place = `tasks[${at}]`;
  if (typeof task !== "object" || task === null) throw new PlanError(`${place} must be an object with id, title and needs.`);
  const { id = at + 1, title, needs = [] } = task as { id?: unknown; title?: unknown; needs?: unknown };
  if (typeof title !== "string" || oneLine(title, LONGEST_TITLE) === "") throw new PlanError(`${place} has no title.`);
  if (!Array.isArray(needs) || needs.length > MOST_TASKS * 2) throw new PlanError(`"needs" of ${place} must be a list of ids.`);
  return {
    id: idOf(id, place),
    title: oneLine(title, LONGEST_TITLE),
    needs: [...new Set(needs.map((need) => idOf(need, `"needs" of ${place}`)))],
  };
}

function idOf(id: unknown, place: string): string {
  const text = typeof id === "number" || typeof id === "string" ? oneLine(String(id), LONGEST_ID + 1) : "";
  if (text === "" || text.length > LONGEST_ID) throw new PlanError(`${place}: an id must be a number.`);
  return text;
}

function checkNeeds(drafts: readonly Draft[]): void {
  const ids = new Set<string>();
  for (const { id } of drafts) {
    if (ids.has(id)) throw new PlanError(`The id ${id} is there twice.`);
    ids.add(id);
  }
  for (const { id, needs } of drafts) {
    if (needs.includes(id)) throw new PlanError(`Task ${id} needs itself.`);
    const unknown = needs.find((need) => !ids.has(need));
    if (unknown !== undefined) throw new PlanError(`Task ${id} needs task ${unknown}, which is not there.`);
  }
}

/** As the model listed them, but nothing before what it needs. */
function inOrder(drafts: readonly Draft[]): readonly Draft[] {
  const ordered: Draft[] = [];
  const placed = new Set<string>();
  const left = [...drafts];
  while (left.length > 0) {
    const next = left.findIndex(({ needs }) => needs.every((need) => placed.has(need)));
    if (next === -1) throw new PlanError(`The tasks need each other in a circle: ${cycleIn(left, placed).join(" -> ")}.`);
    const [draft] = left.splice(next, 1);
    placed.add(draft!.id);
    ordered.push(draft!);
  }
  return ordered;
}

/** Every task here waits for another one here; to go from need to need must come back to where it was. */
function cycleIn(waiting: readonly Draft[], placed: ReadonlySet<string>): readonly string[] {
  const needOf = new Map(waiting.map(({ id, needs }) => [id, needs.find((need) => !placed.has(need))!]));
  const path: string[] = [];
  for (let id = waiting[0]!.id; ; id = needOf.get(id)!) {
    const seen = path.indexOf(id);
    if (seen !== -1) return [...path.slice(seen), id];
    path.push(id);
  }
}

import { randomUUID } from "node:crypto";
import type { Goal, Task } from "../core/ports/goal.ts";
import type { Goals } from "../core/ports/store.ts";
import { parseJson } from "../text/json.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { count, risingClock, storable } from "./sqlite/values.ts";

export type GoalRow = Omit<Goal, "tasks">;
export type GoalTaskRow = Pick<Task, "n" | "title" | "status"> & { readonly needs: unknown; readonly note: unknown };

export const GOAL_COLUMNS = 'id, workspace, text, status, created_at as "createdAt", updated_at as "updatedAt"';

/** Fixed statements: the active goal is asked for with every start, and Kysely is not loaded for that. */
export function createGoals(db: Sqlite): Goals {
  const now = risingClock();
  const insert = db.statement("insert into goals (id, workspace, text, status, created_at, updated_at) values (?, ?, ?, 'active', ?, ?)");
  const insertTask = db.statement("insert into goal_tasks (goal_id, n, title, needs, status, note) values (?, ?, ?, ?, ?, ?)");
  const pause = db.statement("update goals set status = 'paused', updated_at = ? where workspace = ? and status = 'active' and id <> ?");
  const byId = db.statement<GoalRow>(`select ${GOAL_COLUMNS} from goals where id = ?`);
  const byWorkspace = db.statement<GoalRow>(`select ${GOAL_COLUMNS} from goals where workspace = ? and status = 'active'`);
  const newest = db.statement<GoalRow>(`select ${GOAL_COLUMNS} from goals where workspace = ? order by n desc limit ?`);
  const tasks = db.statement<GoalTaskRow>("select * from goal_tasks where goal_id = ? order by n");
  const status = db.statement("update goals set status = ?, updated_at = ? where id = ?");
  const touch = db.statement("update goals set updated_at = ? where id = ?");
  const task = db.statement("update goal_tasks set status = ?, note = ? where goal_id = ? and n = ?");

  const goalOf = (row: GoalRow | undefined): Goal | null => (row ? { ...row, tasks: tasks.all(row.id).map(goalTaskOf) } : null);
  return {
    async create({ workspace, text, tasks: plan }) {
      refuseImpossible(plan);
      const [id, at] = [randomUUID(), now()];
      return db.together(() => {
        pause.run(at, workspace, id);
        insert.run(id, workspace, storable(text), at, at);
        for (const { n, title, needs, status: is, note } of plan)
          insertTask.run(id, n, storable(title), JSON.stringify(needs), is, note === undefined ? null : storable(note));
        return goalOf(byId.get(id))!;
      });
    },
    get: async (id) => goalOf(byId.get(id)),
    active: async (workspace) => goalOf(byWorkspace.get(workspace)),
    list: async (workspace, limit) => newest.all(workspace, count(limit)).map((row) => goalOf(row)!),
    setStatus: async (id, to) =>
      db.together(() => {
        const row = byId.get(id);
        if (!row) return false;
        const at = now();
        if (to === "active") pause.run(at, row.workspace, id);
        status.run(to, at, id);
        return true;
      }),
    setTask: async (id, n, { status: to, note }) =>
      db.together(() => {
        if (task.run(to, note === undefined ? null : storable(note), id, n) === 0) return false;
        touch.run(now(), id);
        return true;
      }),
  };
}

/** A plan that could never be finished is not stored: numbers from 1 in order, needs that exist, and no circle. */
export function refuseImpossible(plan: readonly Task[]): void {
  for (const [index, { n }] of plan.entries())
    if (n !== index + 1) throw new Error(`Task ${n} stands in place ${index + 1}. Tasks are numbered from 1, in order.`);
  for (const { n, needs } of plan) {
    const strange = needs.find((other) => !Number.isInteger(other) || other < 1 || other > plan.length);
    if (strange !== undefined) throw new Error(`Task ${n} needs task ${strange}, which is not there.`);
  }
  const done = new Set<number>();
  for (let left = plan; left.length > 0; ) {
    const ready = left.filter(({ needs }) => needs.every((other) => done.has(other)));
    if (ready.length === 0) throw new Error(`These tasks need each other in a circle: ${left.map(({ n }) => n).join(", ")}.`);
    for (const { n } of ready) done.add(n);
    left = left.filter(({ n }) => !done.has(n));
  }
}

export const goalTaskOf = ({ n, title, needs, status, note }: GoalTaskRow): Task => ({
  n,
  title,
  needs: needsOf(needs, n),
  status,
  ...(typeof note === "string" && { note }),
});

/** What cannot be read any more is taken for "everything before it": too late is better than too early. */
function needsOf(stored: unknown, n: number): readonly number[] {
  const needs = parseJson(String(stored));
  if (Array.isArray(needs) && needs.every(Number.isInteger)) return needs;
  return Array.from({ length: n - 1 }, (_, index) => index + 1);
}

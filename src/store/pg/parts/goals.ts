import { randomUUID } from "node:crypto";
import type { Goal } from "../../../core/ports/goal.ts";
import type { Goals } from "../../../core/ports/store.ts";
import { GOAL_COLUMNS, type GoalRow, type GoalTaskRow, goalTaskOf, refuseImpossible } from "../../goals.ts";
import { count, risingClock, storable } from "../../sqlite/values.ts";
import type { Rows, Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";

export function createSharedGoals(db: Transactions, fence: FenceNow): Goals {
  const now = risingClock();
  const writes = createFencedWrites(db, fence);
  const byId = `select ${GOAL_COLUMNS} from goals where id = ?`;

  const withTasks = async (rows: Rows, found: readonly GoalRow[]): Promise<readonly Goal[]> => {
    if (found.length === 0) return [];
    const tasks = await rows.all<GoalTaskRow & { readonly goal_id: string }>(
      "select goal_id, n, title, needs, status, note from goal_tasks where goal_id = any(?::text[]) order by n",
      found.map(({ id }) => id),
    );
    return found.map((row) => ({ ...row, tasks: tasks.filter((task) => task.goal_id === row.id).map(goalTaskOf) }));
  };
  const goalOf = async (rows: Rows, row: GoalRow | undefined): Promise<Goal | null> => (row ? (await withTasks(rows, [row]))[0]! : null);
  /** One changes the goals of a workspace at a time: one of them is active. */
  const alone = (rows: Rows, workspace: string) =>
    rows.one("select pg_advisory_xact_lock(hashtextextended(current_setting('zeph.tenant') || ' ' || ?, 1))", workspace);
  const pauseOthers = (rows: Rows, { workspace, id }: Pick<Goal, "workspace" | "id">, at: number) =>
    rows.run(
      "update goals set status = 'paused', updated_at = greatest(updated_at + 1, ?) where workspace = ? and status = 'active' and id <> ?",
      at,
      workspace,
      id,
    );

  return {
    async create({ workspace, text, tasks: plan }) {
      refuseImpossible(plan);
      const [id, at] = [randomUUID(), now()];
      return writes.together(async (rows) => {
        await alone(rows, workspace);
        await pauseOthers(rows, { workspace, id }, at);
        await rows.run(
          `insert into goals (id, workspace, text, status, created_at, updated_at) values (?, ?, ?, 'active', ?, ?)
           on conflict (tenant, id) do nothing`,
          id,
          workspace,
          storable(text),
          at,
          at,
        );
        await rows.run(
          `insert into goal_tasks (goal_id, n, title, needs, status, note)
           select ?, * from unnest(?::integer[], ?::text[], ?::text[], ?::text[], ?::text[]) on conflict (tenant, goal_id, n) do nothing`,
          id,
          plan.map(({ n }) => n),
          plan.map(({ title }) => storable(title)),
          plan.map(({ needs }) => JSON.stringify(needs)),
          plan.map(({ status }) => status),
          plan.map(({ note }) => (note === undefined ? null : storable(note))),
        );
        return (await goalOf(rows, await rows.one<GoalRow>(byId, id)))!;
      });
    },
    get: async (id) => goalOf(db, await db.one<GoalRow>(byId, id)),
    active: async (workspace) =>
      goalOf(db, await db.one<GoalRow>(`select ${GOAL_COLUMNS} from goals where workspace = ? and status = 'active'`, workspace)),
    list: async (workspace, limit) =>
      withTasks(
        db,
        await db.all<GoalRow>(`select ${GOAL_COLUMNS} from goals where workspace = ? order by n desc limit ?`, workspace, count(limit)),
      ),
    setStatus: (id, to) =>
      writes.together(async (rows) => {
        const row = await rows.one<GoalRow>(byId, id);
        if (!row) return false;
        await alone(rows, row.workspace);
        const at = now();
        if (to === "active") await pauseOthers(rows, row, at);
        return (await rows.run("update goals set status = ?, updated_at = greatest(updated_at + 1, ?) where id = ?", to, at, id)) > 0;
      }),
    setTask: async (id, n, { status, note }) => {
      const changed = await writes.all(
        `, changed as (update goal_tasks set status = ?1, note = ?2 where goal_id = ?3 and n = ?4 and exists (select 1 from fence) returning 1),
         touched as (update goals set updated_at = greatest(updated_at + 1, ?5::bigint) where id = ?3 and exists (select 1 from changed))
         select 1 from changed`,
        status,
        note === undefined ? null : storable(note),
        id,
        n,
        now(),
      );
      return changed.length > 0;
    },
  };
}

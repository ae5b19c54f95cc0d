import { randomUUID } from "node:crypto";
import type { Schedule } from "../../../core/ports/store.ts";
import { momentOf, type ScheduledRow, scheduledTaskOf } from "../../schedule.ts";
import { risingClock, storable } from "../../sqlite/values.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";

const COLUMNS = `id, workspace, task, asked_for as "when", cron, next_at as "nextAt", untrusted, bound_to, bound_trust,
  created_at as "createdAt", last_at, last_ok, last_conversation`;

export function createSharedSchedule(db: Transactions, fence: FenceNow): Schedule {
  const now = risingClock();
  const writes = createFencedWrites(db, fence);
  const inOrder = "order by next_at is null, next_at, n";
  const due = `select ${COLUMNS} from scheduled_tasks where workspace = ? and next_at <= ? order by next_at, n limit 1`;
  return {
    async add({ workspace, task, when, cron, nextAt, untrusted, bound }) {
      const [row] = await writes.all<ScheduledRow>(
        `insert into scheduled_tasks as s (id, workspace, task, asked_for, cron, next_at, untrusted, bound_to, bound_trust, created_at)
         select ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from fence on conflict (tenant, id) do update set task = s.task returning ${COLUMNS}`,
        randomUUID(),
        workspace,
        storable(task),
        storable(when),
        cron,
        momentOf(nextAt),
        untrusted ? 1 : 0,
        bound?.name ?? null,
        bound?.trust ?? null,
        now(),
      );
      return scheduledTaskOf(row!);
    },
    get: async (id) => {
      const row = await db.one<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks where id = ?`, id);
      return row ? scheduledTaskOf(row) : null;
    },
    async list(workspace) {
      const found =
        workspace === undefined
          ? await db.all<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks ${inOrder}`)
          : await db.all<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks where workspace = ? ${inOrder}`, workspace);
      return found.map(scheduledTaskOf);
    },
    remove: async (id) => (await writes.run("delete from scheduled_tasks where id = ? and exists (select 1 from fence)", id)) > 0,
    async take(workspace, at, next) {
      const moment = Math.trunc(at);
      // Most looks find nothing, and to look needs no lock.
      if (!(await db.one(due, workspace, moment))) return null;
      return writes.together(async (rows) => {
        const row = await rows.one<ScheduledRow>(`${due} for update skip locked`, workspace, moment);
        if (!row) return null;
        const task = scheduledTaskOf(row);
        const nextAt = momentOf(next(task));
        await rows.run("update scheduled_tasks set next_at = ? where id = ?", nextAt, task.id);
        return { ...task, nextAt };
      });
    },
    ended: async (id, { at, ok, conversation }) =>
      void (await writes.run(
        `update scheduled_tasks set last_at = ?, last_ok = ?, last_conversation = (select c.id from conversations c where c.id = ?)
         where id = ? and exists (select 1 from fence)`,
        momentOf(at),
        ok ? 1 : 0,
        conversation ?? null,
        id,
      )),
    nextAt: async (workspace) =>
      (await db.one<{ at: number | null }>("select min(next_at) as at from scheduled_tasks where workspace = ?", workspace))?.at ?? null,
  };
}

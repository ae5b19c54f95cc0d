import { randomUUID } from "node:crypto";
import type { Schedule, ScheduledTask } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { boundOf, momentIn, risingClock, storable } from "./sqlite/values.ts";

/** Fixed statements: whoever starts asks at once whether something is due, and Kysely is not loaded for that. */
export function createSchedule(db: Sqlite): Schedule {
  const now = risingClock();
  const insert = db.statement<ScheduledRow>(
    `insert into scheduled_tasks (id, workspace, task, asked_for, cron, next_at, untrusted, bound_to, bound_trust, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
  );
  const byId = db.statement<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks where id = ?`);
  const inOrder = "order by scheduled_tasks.next_at is null, scheduled_tasks.next_at, n";
  const all = db.statement<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks ${inOrder}`);
  const byWorkspace = db.statement<ScheduledRow>(`select ${COLUMNS} from scheduled_tasks where workspace = ? ${inOrder}`);
  const remove = db.statement("delete from scheduled_tasks where id = ?");
  const due = db.statement<ScheduledRow>(
    `select ${COLUMNS} from scheduled_tasks where workspace = ? and next_at is not null and next_at <= ? order by scheduled_tasks.next_at, n limit 1`,
  );
  const move = db.statement("update scheduled_tasks set next_at = ? where id = ?");
  const end = db.statement(
    "update scheduled_tasks set last_at = ?, last_ok = ?, last_conversation = (select id from conversations where id = ?) where id = ?",
  );
  const soonest = db.statement<{ at: number | null }>(`select min(${momentIn("next_at")}) as at from scheduled_tasks where workspace = ?`);

  return {
    add: async ({ workspace, task, when, cron, nextAt, untrusted, bound }) =>
      db.together(() => {
        const asked = [storable(task), storable(when), cron, momentOf(nextAt), untrusted, bound?.name ?? null, bound?.trust ?? null];
        return scheduledTaskOf(insert.get(randomUUID(), workspace, ...asked, now())!);
      }),
    get: async (id) => {
      const row = byId.get(id);
      return row ? scheduledTaskOf(row) : null;
    },
    list: async (workspace) => (workspace === undefined ? all.all() : byWorkspace.all(workspace)).map(scheduledTaskOf),
    remove: async (id) => remove.run(id) > 0,
    async take(workspace, at, next) {
      // Most looks find nothing, and to look needs no lock.
      if (!due.get(workspace, at)) return null;
      // Under the lock: of two processes one finds that it is no longer due.
      return db.together(() => {
        const row = due.get(workspace, at);
        if (!row) return null;
        const task = scheduledTaskOf(row);
        const nextAt = momentOf(next(task));
        move.run(nextAt, task.id);
        return { ...task, nextAt };
      });
    },
    ended: async (id, { at, ok, conversation }) => void end.run(at, ok, conversation ?? null, id),
    nextAt: async (workspace) => soonest.get(workspace)?.at ?? null,
  };
}

/** A damaged moment is none: one row must not hide the others. */
const COLUMNS = `id, workspace, task, asked_for as "when", cron, ${momentIn("next_at")} as nextAt, untrusted, bound_to, bound_trust,
  coalesce(${momentIn("created_at")}, 0) as createdAt, ${momentIn("last_at")} as last_at, last_ok, last_conversation`;

/** Whole milliseconds; what is no moment is never. */
export const momentOf = (at: number | null): number | null => (typeof at === "number" && Math.abs(at) <= 8.64e15 ? Math.trunc(at) : null);

export type ScheduledRow = Omit<ScheduledTask, "untrusted" | "bound" | "last"> & {
  readonly untrusted: unknown;
  readonly bound_to: unknown;
  readonly bound_trust: unknown;
  readonly last_at: number | null;
  readonly last_ok: unknown;
  readonly last_conversation: unknown;
};

export const scheduledTaskOf = ({
  untrusted,
  bound_to,
  bound_trust,
  last_at,
  last_ok,
  last_conversation,
  ...task
}: ScheduledRow): ScheduledTask => ({
  ...task,
  untrusted: untrusted !== 0,
  bound: typeof bound_to === "string" ? boundOf(bound_to, bound_trust) : null,
  last:
    last_at === null
      ? null
      : { at: last_at, ok: last_ok === 1, ...(typeof last_conversation === "string" && { conversation: last_conversation }) },
});

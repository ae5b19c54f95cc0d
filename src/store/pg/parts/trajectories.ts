import { randomUUID } from "node:crypto";
import type { Trajectories, TrajectoryEnd } from "../../../core/ports/store.ts";
import { count, storable } from "../../sqlite/values.ts";
import { COUNTED_EVERY, LONGEST_CALL_ID, lastOf, MOST_TRAJECTORIES, type TrajectoryRow, trajectoryOf } from "../../trajectories.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites } from "./fence.ts";

const COLUMNS = 'id, workspace, call_id as "callId", steps, ended, created_at as "createdAt"';

/** They belong to a workspace and not to a session, so they have no fence. */
export function createSharedTrajectories(db: Transactions): Trajectories {
  const writes = createFencedWrites(db, () => null, "soon");
  let added = 0;
  const numbers = async (workspace: string): Promise<Record<TrajectoryEnd, number>> => {
    const found = { ok: 0, error: 0, violation: 0, unacceptable: 0 };
    const rows = await db.all<{ ended: TrajectoryEnd; number: number }>(
      "select ended, count(*) as number from trajectories where workspace = ? group by ended",
      workspace,
    );
    for (const { ended, number } of rows) found[ended] = number;
    return found;
  };
  const bound = async (workspace: string) => {
    const over = Object.values(await numbers(workspace)).reduce((sum, one) => sum + one, 0) - MOST_TRAJECTORIES;
    if (over > 0)
      await db.run(
        `delete from trajectories where id in (
           select id from trajectories where workspace = ? order by ended <> 'ok', ended = 'unacceptable', n limit ? for update skip locked)`,
        workspace,
        over,
      );
  };
  return {
    async add({ workspace, callId, steps, ended }) {
      const kept = steps.map((words) => words.map(storable));
      // Rows are taken in one order: two who take back the same errors wait for each other, and neither for both.
      const [row] = await writes.all<{ id: string; createdAt: number }>(
        `, known as (
           select id from trajectories where workspace = ?2 and last = ?5 and ended = 'error' and call_id <> ?3 and ?6 = 'ok' order by n for update),
         taken_back as (update trajectories set ended = 'ok' where id in (select id from known))
         insert into trajectories (id, workspace, call_id, steps, last, ended, created_at) select ?1, ?2, ?3, ?4, ?5, ?6, ?7 from fence
         on conflict (tenant, call_id)
           do update set workspace = excluded.workspace, steps = excluded.steps, last = excluded.last, ended = excluded.ended
         returning id, created_at as "createdAt"`,
        randomUUID(),
        workspace,
        callId,
        JSON.stringify(kept),
        lastOf(kept),
        ended,
        Date.now(),
      );
      added += 1;
      if (added % COUNTED_EVERY === 1) await bound(workspace);
      return { ...row!, workspace, callId, steps: kept, ended };
    },
    bad: async (workspace, since, limit) =>
      (
        await db.all<TrajectoryRow>(
          `select ${COLUMNS} from trajectories
           where workspace = ? and ended in ('error', 'violation', 'unacceptable') and created_at >= ? order by created_at desc, n desc limit ?`,
          workspace,
          Math.trunc(since),
          count(limit),
        )
      ).flatMap(trajectoryOf),
    judge: async (callId, ended, of) => {
      if (callId === "" || callId.length > LONGEST_CALL_ID || callId.includes("\0")) return null;
      return db.together(async (rows) => {
        const likely = await rows.all<TrajectoryRow>(
          `select ${COLUMNS} from trajectories where call_id >= ?1 and call_id < ?1 || chr(1114111) order by call_id limit 2 for update`,
          callId,
        );
        const [found, other] = likely.flatMap(trajectoryOf);
        if (!found || (other && found.callId !== callId)) return null;
        const steps = of === "call" ? found.steps.slice(-1) : found.steps;
        await rows.run(
          "update trajectories set ended = ?, steps = ?, last = ? where call_id = ?",
          ended,
          JSON.stringify(steps),
          lastOf(steps),
          found.callId,
        );
        return { ...found, steps, ended };
      });
    },
    count: numbers,
    expire: (before) => db.run("delete from trajectories where created_at < ?", Math.trunc(before)),
  };
}

import { createHash, randomUUID } from "node:crypto";
import type { Trajectories, Trajectory, TrajectoryEnd } from "../core/ports/store.ts";
import { parseJson } from "../text/json.ts";
import { erase } from "./sqlite/erase.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { count, momentIn, storable } from "./sqlite/values.ts";

/** So many of a workspace are kept. */
export const MOST_TRAJECTORIES = 10_000;
/** To count them costs more than to add one, so it is done now and then. */
export const COUNTED_EVERY = 64;
/** Longer than any we write. */
const MOST_BYTES = 1_000_000;
export const LONGEST_CALL_ID = 200;

/** Fixed statements: one is written with every call. */
export function createTrajectories(db: Sqlite): Trajectories {
  let added = 0;
  const insert = db.statement<{ id: string; createdAt: number }>(
    `insert into trajectories (id, workspace, call_id, steps, last, ended, created_at) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (call_id) do update set workspace = excluded.workspace, steps = excluded.steps, last = excluded.last, ended = excluded.ended
     returning id, created_at as createdAt`,
  );
  const takeBack = db.statement("update trajectories set ended = 'ok' where workspace = ? and last = ? and ended = 'error'");
  const bad = db.statement<TrajectoryRow>(
    `select ${COLUMNS} from trajectories
     where workspace = ? and ended in ('error', 'violation', 'unacceptable') and created_at >= ? order by created_at desc, n desc limit ?`,
  );
  const byCall = db.statement<TrajectoryRow>(
    `select ${COLUMNS} from trajectories where call_id >= ? and call_id < ? || char(1114111) order by call_id limit 2`,
  );
  const rewrite = db.statement("update trajectories set ended = ?, steps = ?, last = ? where call_id = ?");
  const counts = db.statement<{ ended: TrajectoryEnd; number: number }>(
    "select ended, count(*) as number from trajectories where workspace = ? group by ended",
  );
  const prune = db.statement(
    "delete from trajectories where n in (select n from trajectories where workspace = ? order by ended <> 'ok', ended = 'unacceptable', n limit ?)",
  );
  const expire = db.statement("delete from trajectories where created_at < ?");

  const numbers = (workspace: string): Record<TrajectoryEnd, number> => {
    const found = { ok: 0, error: 0, violation: 0, unacceptable: 0 };
    for (const { ended, number } of counts.all(workspace)) found[ended] = number;
    return found;
  };
  const bound = (workspace: string) => {
    const over = Object.values(numbers(workspace)).reduce((sum, one) => sum + one, 0) - MOST_TRAJECTORIES;
    if (over > 0) prune.run(workspace, over);
  };
  return {
    add: async ({ workspace, callId, steps, ended }) =>
      db.together(() => {
        const kept = steps.map((words) => words.map(storable));
        if (ended === "ok") takeBack.run(workspace, lastOf(kept));
        const row = insert.get(randomUUID(), workspace, callId, JSON.stringify(kept), lastOf(kept), ended, Date.now())!;
        added += 1;
        if (added % COUNTED_EVERY === 1) bound(workspace);
        return { ...row, workspace, callId, steps: kept, ended };
      }),
    bad: async (workspace, since, limit) => bad.all(workspace, Math.trunc(since), count(limit)).flatMap(trajectoryOf),
    judge: async (callId, ended, of) =>
      db.together(() => {
        if (callId === "" || callId.length > LONGEST_CALL_ID || callId.includes("\0")) return null;
        const [found, other] = byCall.all(callId, callId).flatMap(trajectoryOf);
        if (!found || (other && found.callId !== callId)) return null;
        const steps = of === "call" ? found.steps.slice(-1) : found.steps;
        rewrite.run(ended, JSON.stringify(steps), lastOf(steps), found.callId);
        return { ...found, steps, ended };
      }),
    count: async (workspace) => numbers(workspace),
    async expire(before) {
      const gone = expire.run(Math.trunc(before));
      if (gone > 0) erase(db);
      return gone;
    },
  };
}

export type TrajectoryRow = Omit<Trajectory, "steps"> & { readonly steps: string | null };

const COLUMNS = `id, workspace, call_id as callId, case when octet_length(steps) <= ${MOST_BYTES} then steps end as steps, ended,
  coalesce(${momentIn("created_at")}, 0) as createdAt`;

/** What the last call was, for those that ended with the very same. */
export const lastOf = (steps: readonly (readonly string[])[]): string =>
  createHash("sha256")
    .update(JSON.stringify(steps.at(-1) ?? []))
    .digest("base64");

/** One that cannot be read is left out: it must not hide the others. */
export function trajectoryOf(row: TrajectoryRow): Trajectory[] {
  const steps = stepsOf(row.steps);
  return steps ? [{ ...row, steps }] : [];
}

function stepsOf(text: unknown): string[][] | null {
  if (typeof text !== "string") return null;
  const steps = parseJson(text);
  const areWords = (words: unknown) => Array.isArray(words) && words.every((word) => typeof word === "string");
  return Array.isArray(steps) && steps.every(areWords) ? steps : null;
}

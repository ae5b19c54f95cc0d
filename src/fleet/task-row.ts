import type { PgRow } from "../store/pg/pg.ts";
import type { FleetTask, TaskResult } from "./task.ts";

/** A row of `tasks`, as others see it. */
export function readTaskRow(row: PgRow): FleetTask {
  return {
    id: row.id,
    tenant: row.tenant,
    key: row.key,
    session: row.session,
    batch: row.batch,
    limit: row.limit_key || null,
    label: row.label || null,
    state: row.state,
    payload: JSON.parse(row.payload),
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    version: row.version,
    holder: row.holder,
    epoch: row.epoch,
    cancel: row.cancel,
    result: readResult(row),
    createdAt: row.created_at.getTime(),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

/** The journal knows best how many outcomes are unknown: the last of them may have become so at the end. */
export const readResult = (row: PgRow): TaskResult | null =>
  row.result === null ? null : { ...JSON.parse(row.result), unknown: row.unknown };

import { randomUUID } from "node:crypto";
import type { Bus } from "../core/ports/fleet/session.ts";
import type { Pg, PgRow, Rows } from "../store/pg/pg.ts";
import { SUBJECTS } from "./bus/subjects.ts";
import { assertSecretFree } from "./secret-free.ts";
import type { FleetTask, FleetTaskState, NewTask, TaskResult } from "./task.ts";
import { readResult, readTaskRow } from "./task-row.ts";

/** The queue as those who ask see it: the tasks of one tenant, the one of the connection. */
export interface TaskQueue {
  /** The same key gives the same task, however often and from wherever it comes. Throws a `QueueFull` beyond `maxQueued`; then none of them was put in. */
  submit(tasks: readonly NewTask[], options?: { readonly maxQueued?: number }): Promise<readonly Submitted[]>;
  /** Tasks with these keys that failed or were cancelled wait again, as if they had not been begun but for what their sessions know. Returns how many. Only for connections that act as `zeph_gateway`. */
  retry(keys: readonly string[], options?: { readonly maxQueued?: number }): Promise<number>;
  get(id: string): Promise<FleetTask | null>;
  /** Newest first. */
  list(filter?: TaskFilter): Promise<readonly FleetTask[]>;
  /** A task that waits ends at once; one that runs is told to. Returns those that were still to end. */
  cancel(what: { readonly id: string } | { readonly batch: string }, why: string): Promise<readonly string[]>;
  /** How many tasks there are in each state, and how old the oldest one is that waits. */
  status(filter?: { readonly batch?: string }): Promise<QueueStatus>;
  /** What waits and runs, of all tenants. */
  depths(): Promise<readonly TenantDepth[]>;
  /** All workers, whoever's tasks they take. */
  workers(): Promise<readonly WorkerRow[]>;
  /** It takes nothing more, gives back what it has at the next step, and ends. False: there is no such worker. Only for connections that act as `zeph_gateway`. */
  drain(worker: string): Promise<boolean>;
  /** At most so many tasks of the key run at once, on all machines together; null is no limit. An empty key is the limit of everything that the tenant runs. */
  setLimit(key: string, maxRunning: number | null): Promise<void>;
  /** No task of the key begins before so many milliseconds are over. A later time stays. */
  postpone(key: string, ms: number): Promise<void>;
  /** Tasks of a batch as they were submitted, a page at a time; `next` is null at the end. */
  results(batch: string, after?: number, limit?: number): Promise<ResultPage>;
}

export interface Submitted {
  readonly id: string;
  readonly key: string;
  /** False: the key was there already. */
  readonly isNew: boolean;
}

export interface TaskFilter {
  readonly state?: FleetTaskState;
  readonly batch?: string;
  readonly session?: string;
  readonly limit?: number;
}

export interface QueueStatus {
  readonly counts: Readonly<Record<FleetTaskState, number>>;
  /** Null where nothing waits. */
  readonly oldestQueuedMs: number | null;
}

export interface TenantDepth {
  readonly tenant: string;
  readonly queued: number;
  readonly running: number;
  readonly oldestQueuedMs: number | null;
}

export interface WorkerRow {
  readonly name: string;
  readonly version: string;
  /** `gone` has said so itself, or was not heard of for several leases. */
  readonly state: "ready" | "draining" | "gone";
  /** Whose tasks it takes; null is everybody's. */
  readonly tenant: string | null;
  readonly slots: number;
  readonly running: number;
  readonly labels: readonly string[];
  readonly seenMsAgo: number;
}

export interface ResultPage {
  readonly results: readonly BatchResult[];
  /** What `after` is for the next page. */
  readonly next: number | null;
}

export interface BatchResult {
  readonly id: string;
  readonly key: string;
  readonly state: FleetTaskState;
  readonly attempt: number;
  readonly result: TaskResult | null;
}

/** Too many tasks of this tenant wait already. Nothing of what was refused is in the queue. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

export interface TaskQueueOptions {
  /** Hints for workers; without one they find out at their next look. */
  readonly bus?: Bus | undefined;
}

/** One statement puts in so many. */
const AT_ONCE = 500;
const MAX_ATTEMPTS = 3;
const LIST_MOST = 1000;

export function createTaskQueue(db: Pg, { bus }: TaskQueueOptions = {}): TaskQueue {
  const explainFull = (maxQueued: number | null) => (error: unknown) => {
    throw isFull(error) ? new QueueFull(`More than ${maxQueued} tasks of ${db.tenant} wait. Try again later.`) : error;
  };
  const submitSome = async (rows: Pick<Rows, "all">, tasks: readonly KeyedTask[], maxQueued: number | null): Promise<Submitted[]> => {
    const column = (read: (task: KeyedTask) => unknown) => tasks.map(read);
    const put = await rows.all(
      "select * from submit_tasks(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      maxQueued,
      column(({ key }) => key),
      column(({ session }) => session),
      column(({ batch }) => batch ?? null),
      column(({ limit }) => limit ?? ""),
      column(({ label }) => label ?? ""),
      column(({ payload }) => payload.format),
      column(({ payload }) => JSON.stringify(payload)),
      column(({ maxAttempts }) => maxAttempts ?? MAX_ATTEMPTS),
      column(({ onUnknown }) => onUnknown ?? "tell"),
    );
    const byKey = new Map(put.map((row) => [row.key, { id: row.id, key: row.key, isNew: row.is_new }]));
    return tasks.map(({ key }) => byKey.get(key)!);
  };
  const submitAll = async (rows: Pick<Rows, "all">, tasks: readonly KeyedTask[], maxQueued: number | null): Promise<Submitted[]> => {
    const submitted: Submitted[] = [];
    for (let from = 0; from < tasks.length; from += AT_ONCE)
      submitted.push(...(await submitSome(rows, tasks.slice(from, from + AT_ONCE), maxQueued)));
    return submitted;
  };
  return {
    async retry(keys, { maxQueued } = {}) {
      const rows = await db.patient.all("select * from retry_tasks(?, ?)", maxQueued ?? null, keys).catch(explainFull(maxQueued ?? null));
      for (const label of new Set(rows.map((row) => row.label))) bus?.tell(SUBJECTS.wake(label));
      return rows.length;
    },
    async submit(tasks, { maxQueued } = {}) {
      for (const { payload } of tasks) assertSecretFree(payload);
      // A key of our own where none is given: asked again after a lost answer, the task is the same.
      const given = tasks.map((task) => ({
        ...task,
        key: task.key ?? randomUUID(),
        session: task.session ?? `task-${randomUUID()}`,
      }));
      // All or nothing: who is refused asks again, and need not have given keys.
      const put = (rows: Pick<Rows, "all">) => submitAll(rows, given, maxQueued ?? null);
      const submitted = await (given.length > AT_ONCE ? db.patient.together(put) : put(db.patient)).catch(explainFull(maxQueued ?? null));
      for (const label of new Set(given.filter((_, place) => submitted[place]!.isNew).map((task) => task.label)))
        bus?.tell(SUBJECTS.wake(label));
      return submitted;
    },
    async get(id) {
      if (!isId(id)) return null;
      const row = await db.one("select * from tasks where id = ?", id);
      return row ? readTaskRow(row) : null;
    },
    async list({ state, batch, session, limit = 100 } = {}) {
      const rows = await db.all(
        `select * from tasks where (?1::text is null or state = ?1) and (?2::text is null or batch = ?2) and (?3::text is null or session = ?3)
         order by n desc limit ?4`,
        state ?? null,
        batch ?? null,
        session ?? null,
        Math.min(limit, LIST_MOST),
      );
      return rows.map(readTaskRow);
    },
    async cancel(what, why) {
      if ("id" in what && !isId(what.id)) return [];
      const [id, batch] = "id" in what ? [what.id, null] : [null, what.batch];
      const rows = await db.patient.all("select * from cancel_tasks(?, ?, ?)", id, batch, why);
      // First the row, then the hint.
      for (const holder of new Set(rows.map((row) => row.holder).filter((name) => name !== null))) bus?.tell(SUBJECTS.control(holder));
      for (const row of rows)
        if (row.state === "cancelled") bus?.tell(SUBJECTS.out(db.tenant, row.session), { type: "end", task: row.id, state: "cancelled" });
      return rows.map((row) => row.id);
    },
    async status({ batch } = {}) {
      const rows = await db.all(
        `select state, count(*) as count, (extract(epoch from now() - min(created_at)) * 1000)::double precision as oldest
         from tasks where ?1::text is null or batch = ?1 group by state`,
        batch ?? null,
      );
      const count = (state: FleetTaskState): number => rows.find((row) => row.state === state)?.count ?? 0;
      return {
        counts: {
          queued: count("queued"),
          running: count("running"),
          done: count("done"),
          failed: count("failed"),
          unknown: count("unknown"),
          cancelled: count("cancelled"),
        },
        oldestQueuedMs: rows.find((row) => row.state === "queued")?.oldest ?? null,
      };
    },
    async depths() {
      const rows = await db.all("select * from queue_depths()");
      return rows.map((row) => ({ tenant: row.tenant, queued: row.queued, running: row.running, oldestQueuedMs: row.oldest_ms }));
    },
    workers: async () => (await db.all("select * from list_workers()")).map(readWorkerRow),
    async drain(worker) {
      const row = await db.patient.one("select drain_worker(?) as found", worker);
      bus?.tell(SUBJECTS.control(worker));
      return row!.found;
    },
    async setLimit(key, maxRunning) {
      await db.patient.run(
        "insert into limits (tenant, key, max_running) values (?, ?, ?) on conflict (tenant, key) do update set max_running = excluded.max_running",
        db.tenant,
        key,
        maxRunning,
      );
      bus?.tell(SUBJECTS.wake());
    },
    async postpone(key, ms) {
      await db.patient.run(POSTPONE, db.tenant, key, ms);
    },
    async results(batch, after = 0, limit = LIST_MOST) {
      const rows = await db.all(
        "select n, id, key, state, attempt, unknown, result from tasks where batch = ? and n > ? order by n limit ?",
        batch,
        after,
        limit + 1,
      );
      const page = rows.slice(0, limit);
      return { results: page.map(readBatchRow), next: rows.length > limit ? page.at(-1)!.n : null };
    },
  };
}

interface KeyedTask extends NewTask {
  readonly key: string;
  readonly session: string;
}

const POSTPONE = `insert into limits (tenant, key, not_before) values (?, ?, now() + ? * interval '1 millisecond')
  on conflict (tenant, key) do update set not_before = greatest(limits.not_before, excluded.not_before)`;

const readWorkerRow = (row: PgRow): WorkerRow => ({
  name: row.name,
  version: row.version,
  state: row.state,
  tenant: row.tenant === "*" ? null : row.tenant,
  slots: row.slots,
  running: row.running,
  labels: row.labels,
  seenMsAgo: row.seen_ms,
});

const readBatchRow = (row: PgRow): BatchResult => ({
  id: row.id,
  key: row.key,
  state: row.state,
  attempt: row.attempt,
  result: readResult(row),
});

const isFull = (error: unknown): boolean => (error as { code?: string }).code === "ZQ001";
/** Anything else is no task's, and the server would refuse to read it. */
const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

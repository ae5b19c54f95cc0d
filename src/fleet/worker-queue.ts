import { randomUUID } from "node:crypto";
import type { Effect } from "../core/tool.ts";
import { openPg, type PgRow } from "../store/pg/pg.ts";
import type { FleetTask, FleetTaskState, TaskResult } from "./task.ts";
import { readTaskRow } from "./task-row.ts";

/** The queue as workers see it. Every statement names the epoch that a session was taken with, so asking twice is safe and coming late changes nothing. */
export interface WorkerQueue {
  register(worker: WorkerInfo): Promise<void>;
  /** At most `max` tasks, of sessions that nobody holds. After a take whose answer was lost, what was taken and is not in `held` comes first. */
  take(max: number, held: readonly TakenTask[]): Promise<readonly TakenTask[]>;
  /** One statement for all sessions: their leases begin anew. Not asked again when the server is away: the next beat does. */
  beat(held: readonly TakenTask[]): Promise<BeatAnswer>;
  /** Ends what workers have left who were not heard of for a lease. Only for those who were in touch with the server that long themselves; it changes nothing where it arrives later than half a lease after the last answer to a beat. */
  reap(): Promise<readonly Reaped[]>;
  /** Before a call. */
  intent(task: TakenTask, call: string, effect: Effect): Promise<IntentAnswer>;
  /** After it. False: the session is no longer ours. */
  done(task: TakenTask, call: string, outcome: string): Promise<boolean>;
  /** False: the session is no longer ours, and what came of the task is not recorded. Calls without an outcome become `unknown`. */
  finish(
    task: TakenTask,
    end: "done" | "failed" | "cancelled",
    result: TaskResult,
    options?: { readonly stays?: boolean },
  ): Promise<boolean>;
  /** Back into the queue, or to its end where it was cancelled, has no attempt left, or stops at an unknown outcome. Without `counts` this attempt counts for nothing. */
  giveBack(task: TakenTask, options?: GiveBackOptions): Promise<FleetTaskState | "lost">;
  /** What is known of the calls of a task. */
  journal(task: TakenTask): Promise<ReadonlyMap<string, CallRecord>>;
  /** See `TaskQueue.postpone`. */
  postpone(tenant: string, key: string, ms: number): Promise<void>;
  /** Whose tasks wait that this worker could take. */
  waitingTenants(): Promise<readonly string[]>;
  /** Takes nothing more, or is gone. */
  setState(state: "draining" | "gone"): Promise<void>;
  close(): Promise<void>;
}

export interface WorkerInfo {
  /** Letters, digits, `-`, `_` and `.`; one process at a time has it. */
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly labels: readonly string[];
  /** Takes tasks of this tenant alone; null takes everybody's. */
  readonly tenant: string | null;
  /** Forms of payloads that this version knows. */
  readonly formats: readonly number[];
  readonly leaseMs: number;
}

export interface TakenTask extends FleetTask {
  readonly state: "running";
  readonly holder: string;
  readonly epoch: number;
  /** Nobody had it before, so its journal is empty. */
  readonly isFirst: boolean;
}

export interface BeatAnswer {
  /** What became of each session: null goes on. */
  readonly held: ReadonlyMap<TakenTask, "cancelled" | "lost" | null>;
  /** `replaced`: another process has registered under the name. `missing`: nobody has. */
  readonly state: "ready" | "draining" | "replaced" | "missing";
  /** What others let every beat say, by tenant: the version of the policy, for one. Made by the function `beat_news` of the schema. */
  readonly news: Readonly<Record<string, unknown>>;
}

export interface Reaped {
  readonly tenant: string;
  readonly id: string;
  readonly session: string;
  readonly label: string | null;
  readonly state: "queued" | "failed" | "unknown" | "cancelled";
  readonly unknown: number;
}

export interface GiveBackOptions {
  readonly afterMs?: number;
  readonly counts?: boolean;
  readonly why?: string;
}

/** `known`: the journal has this call already, so it must not be made again. */
export type IntentAnswer = "ours" | "cancelled" | "lost" | "known";

export interface CallRecord {
  readonly effect: Effect;
  /** `intent` is under way; `unknown` was under way when its worker was lost. */
  readonly state: "intent" | "done" | "unknown";
  readonly outcome: string | null;
}

export interface WorkerQueueOptions {
  readonly url: string;
  /** Connections for calls; beats have their own. */
  readonly connections?: number;
}

const NAME = /^[A-Za-z0-9][\w.-]{0,62}$/;
const LOST_WORDS = "Its worker was lost too often.";
const MOST_OUTCOME = 2000;

export function openWorkerQueue({ url, connections = 10 }: WorkerQueueOptions): WorkerQueue {
  const db = openPg({ url, max: connections });
  // Beats never stand in a line behind calls, and an answer that does not come is no reason to wait with the next one.
  let beats: ReturnType<typeof openPg> | null = null;
  const instance = randomUUID();
  let me: WorkerInfo | null = null;
  let isUnsure = false;
  /** The server's time in its last answer to a beat, in milliseconds. */
  let heard = 0;
  const info = (): WorkerInfo => {
    if (!me) throw new Error("A worker registers before it takes anything.");
    return me;
  };
  const labels = () => ["", ...info().labels];
  return {
    async register(worker) {
      if (!NAME.test(worker.name))
        throw new RangeError(`A worker is named with up to 63 letters, digits, "-", "_" and ".": "${worker.name}" is not.`);
      me = worker;
      beats ??= openPg({ url, max: 2, answerMs: Math.max(250, worker.leaseMs / 2) });
      const row = await db.patient.one(
        "select register_worker(?, ?, ?, ?, ?, ?), (extract(epoch from now()) * 1000)::double precision as at",
        worker.name,
        instance,
        worker.tenant,
        worker.version,
        worker.slots,
        worker.labels,
      );
      heard = row!.at;
    },
    async take(max, held) {
      const { name, leaseMs, tenant, formats, version } = info();
      const known = isUnsure ? held.map(({ id }) => id) : null;
      isUnsure = true;
      const rows = await db.all(
        "select * from take_tasks(?, ?, ? * interval '1 millisecond', ?, ?, ?, ?, ?, ?)",
        name,
        instance,
        leaseMs,
        max,
        tenant,
        labels(),
        formats,
        version,
        known,
      );
      isUnsure = false;
      return rows.map((row) => ({ ...readTaskRow(row), isFirst: row.takes === 1 }) as TakenTask);
    },
    async beat(held) {
      const { name, leaseMs } = info();
      const row = await beats!.one(
        "select * from beat_worker(?, ?, ? * interval '1 millisecond', ?, ?, ?)",
        name,
        instance,
        leaseMs,
        held.map(({ tenant }) => tenant),
        held.map(({ session }) => session),
        held.map(({ epoch }) => epoch),
      );
      heard = row!.at;
      return { held: readBeat(held, row!), state: row!.state, news: row!.news };
    },
    async reap() {
      const lost: TaskResult = { ok: false, text: LOST_WORDS, unknown: 0, worker: "" };
      const rows = await db.all(
        "select * from reap_tasks(?, ?, ? * interval '1 millisecond')",
        JSON.stringify(lost),
        heard,
        info().leaseMs,
      );
      return rows.map((row) => ({
        tenant: row.tenant,
        id: row.id,
        session: row.session,
        label: row.label || null,
        state: row.state,
        unknown: row.unknown,
      }));
    },
    async intent({ tenant, id, epoch }, call, effect) {
      const row = await db.patient.one("select call_intent(?, ?, ?, ?, ?) as answer", tenant, id, epoch, call, effect);
      return row!.answer;
    },
    async done({ tenant, id, epoch }, call, outcome) {
      const row = await db.patient.one("select call_done(?, ?, ?, ?, ?) as ours", tenant, id, epoch, call, storable(outcome));
      return row!.ours;
    },
    async finish({ tenant, id, epoch }, end, result, { stays = false } = {}) {
      const row = await db.patient.one(
        "select finish_task(?, ?, ?, ?, ?, ?) as ours",
        tenant,
        id,
        epoch,
        end,
        JSON.stringify(result),
        stays ? info().name : null,
      );
      return row!.ours;
    },
    async giveBack({ tenant, id, epoch }, { afterMs = 0, counts = false, why = "" } = {}) {
      const result: TaskResult = { ok: false, text: why, unknown: 0, worker: info().name };
      const row = await db.patient.one(
        "select give_back_task(?, ?, ?, ?, ? * interval '1 millisecond', ?) as state",
        tenant,
        id,
        epoch,
        counts,
        afterMs,
        JSON.stringify(result),
      );
      return row!.state;
    },
    async journal({ tenant, id, isFirst }) {
      if (isFirst) return new Map();
      const rows = await db.patient.all("select * from read_journal(?, ?)", tenant, id);
      return new Map(rows.map((row) => [row.call, { effect: row.effect, state: row.state, outcome: row.outcome }]));
    },
    async postpone(tenant, key, ms) {
      await db.patient.run("select postpone_limit(?, ?, ? * interval '1 millisecond')", tenant, key, ms);
    },
    async waitingTenants() {
      const rows = await db.all("select waiting_tenants(?, ?) as tenant", labels(), info().formats);
      return rows.map((row) => row.tenant);
    },
    async setState(state) {
      await db.patient.run("select set_worker_state(?, ?, ?)", info().name, instance, state);
    },
    async close() {
      await Promise.all([db.close(), beats?.close()]);
    },
  };
}

function readBeat(held: readonly TakenTask[], { kept, cancelled }: PgRow): BeatAnswer["held"] {
  const [isKept, isCancelled] = [new Set<number>(kept), new Set<number>(cancelled)];
  return new Map(held.map((task, n) => [task, !isKept.has(n + 1) ? "lost" : isCancelled.has(n + 1) ? "cancelled" : null]));
}

/** Words about an outcome, not the outcome itself. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd").slice(0, MOST_OUTCOME);

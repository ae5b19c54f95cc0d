import type { Bus } from "../../core/ports/fleet/session.ts";
import { openBus } from "../../fleet/bus/bus.ts";
import { SUBJECTS } from "../../fleet/bus/subjects.ts";
import { createFleetApprovals } from "../../fleet/govern/approvals.ts";
import { type Buckets, createBuckets } from "../../fleet/govern/buckets.ts";
import { createTaskQueue, type TaskQueue } from "../../fleet/queue.ts";
import { createSessionInbox, type SaidMessage, type SessionInbox } from "../../fleet/session/inbox.ts";
import type { FleetTask } from "../../fleet/task.ts";
import { openPg } from "../../store/pg/pg.ts";
import { isRecord } from "../../text/json.ts";
import { openAnsweringPg } from "./answering-pg.ts";
import type { FleetEvent } from "./fleet-types.ts";

export type { BatchResult, QueueStatus, TaskQueue, WorkerRow } from "../../fleet/queue.ts";
export type { FleetTask, FleetTaskState, NewTask, TaskPayload } from "../../fleet/task.ts";
export type { FleetEvent } from "./fleet-types.ts";

/** A fleet, as those who give it work have it. */
export interface FleetClient {
  readonly queue: TaskQueue;
  readonly inbox: SessionInbox;
  /** Requests to providers in a minute. */
  readonly buckets: Buckets;
  /** Ids of questions that wait for another person: of one session, or of all. */
  questions(session: string | null): Promise<readonly string[]>;
  /** Yields what happens until the task is over, and returns it. What happened before nobody hears. Null: there is no such task. */
  follow(what: { readonly task: string } | SaidMessage, signal?: AbortSignal): AsyncGenerator<FleetEvent, FleetTask | null>;
  close(): Promise<void>;
}

export interface FleetPlaceOptions {
  readonly store: string;
  readonly bus?: string;
  readonly tenant?: string;
  readonly onTrouble?: (words: string) => void;
  /** `fail`: a database that cannot be asked now is an error. Otherwise it is waited for, wherever asking twice is safe. */
  readonly whenAway?: "fail" | "wait";
}

/** The database could not be asked, and may be in a while. */
export { isTransient as isAway } from "../../store/pg/error.ts";

export async function openFleetClient(options: FleetPlaceOptions): Promise<FleetClient> {
  const { store, bus = "", tenant = "main", onTrouble, whenAway = "wait" } = options;
  const place = { url: store, tenant, role: "zeph_gateway", max: 4 } as const;
  const db = whenAway === "fail" ? await openAnsweringPg(place) : openPg(place);
  const hints = await openBus({ url: bus, db: { url: store }, onTrouble });
  const queue = createTaskQueue(db, { bus: hints });
  const inbox = createSessionInbox(db, queue);
  return {
    queue,
    inbox,
    questions: createFleetApprovals(db, hints).openIds,
    buckets: createBuckets({ ...db, ...db.patient }),
    async *follow(what, signal) {
      const task = async () => ("task" in what ? what.task : await inbox.taskOf(what));
      const known = "task" in what ? await queue.get(what.task) : null;
      if ("task" in what && known === null) return null;
      const session = "task" in what ? known!.session : what.session;
      const heard = await listen(hints, SUBJECTS.out(tenant, session));
      try {
        let id: string | null = null;
        for (;;) {
          id ??= await task();
          // The state is read after the listening began: an end in between is seen.
          const now = id === null ? null : await queue.get(id);
          for (const event of heard.take()) if (event.task === id && event.type !== "end") yield event;
          if (now && now.state !== "queued" && now.state !== "running") return now;
          if (signal?.aborted) return now;
          await heard.next(LOOK_MS, signal);
        }
      } finally {
        heard.close();
      }
    },
    async close() {
      await hints.close();
      await db.close();
    },
  };
}

/** Without hints the end is noticed so much later. */
const LOOK_MS = 1000;
/** Whoever does not read loses the oldest. */
const MOST_HEARD = 10_000;

async function listen(bus: Bus, subject: string) {
  const heard: FleetEvent[] = [];
  let wake = () => {};
  const close = await bus.hear(subject, (data) => {
    if (!isRecord(data) || typeof data.type !== "string" || typeof data.task !== "string") return;
    heard.push(data as unknown as FleetEvent);
    if (heard.length > MOST_HEARD) heard.shift();
    wake();
  });
  return {
    close,
    take: () => heard.splice(0),
    next: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (heard.length > 0 || signal?.aborted) return resolve();
        const over = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", over);
          wake = () => {};
          resolve();
        };
        const timer = setTimeout(over, ms);
        signal?.addEventListener("abort", over, { once: true });
        wake = over;
      }),
  };
}

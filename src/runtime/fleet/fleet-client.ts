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
      let id = "task" in what ? what.task : null;
      const look = async () => {
        id ??= await inbox.taskOf(what as SaidMessage);
        return id === null ? null : await queue.get(id);
      };
      const before = await look();
      if ("task" in what && before === null) return null;
      // Of what was over before anybody listened nothing comes any more.
      if (before && isOver(before)) return before;
      const heard = await listen(hints, SUBJECTS.out(tenant, before?.session ?? (what as SaidMessage).session));
      try {
        let isEndTold = false;
        const told = function* () {
          // While nobody knows which task it is, everything is kept.
          for (const event of id === null ? [] : heard.take()) {
            if (event.task !== id) continue;
            if (event.type === "end") isEndTold = true;
            else yield event;
          }
        };
        for (;;) {
          // The state is read after the listening began: an end in between is seen.
          const now = await look();
          yield* told();
          if (now && isOver(now)) {
            const latest = Date.now() + LAST_MS;
            while (!isEndTold && !signal?.aborted && Date.now() < latest) {
              await heard.next(latest - Date.now(), signal);
              yield* told();
            }
            return now;
          }
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

const isOver = ({ state }: FleetTask): boolean => state !== "queued" && state !== "running";

/** Without hints the end is noticed so much later. */
const LOOK_MS = 1000;
/** The last events may be under way when the task is over. The word of its end is told after them; where nobody tells it, so long is waited. */
const LAST_MS = 1000;
/** Whoever does not read loses the oldest. */
const MOST_HEARD = 10_000;

async function listen(bus: Bus, subject: string) {
  const heard: FleetEvent[] = [];
  let isNew = false;
  let wake = () => {};
  const close = await bus.hear(subject, (data) => {
    if (!isRecord(data) || typeof data.type !== "string" || typeof data.task !== "string") return;
    heard.push(data as unknown as FleetEvent);
    if (heard.length > MOST_HEARD) heard.shift();
    isNew = true;
    wake();
  });
  return {
    close,
    take: () => heard.splice(0),
    /** Resolves with what came since the last time, at the latest after so many milliseconds. */
    next: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const over = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", over);
          wake = () => {};
          isNew = false;
          resolve();
        };
        const timer = setTimeout(over, ms);
        signal?.addEventListener("abort", over, { once: true });
        wake = over;
        if (isNew || signal?.aborted) over();
      }),
  };
}

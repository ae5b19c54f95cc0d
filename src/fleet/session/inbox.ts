import { randomUUID } from "node:crypto";
import type { Pg } from "../../store/pg/pg.ts";
import { QueueFull, type TaskQueue } from "../queue.ts";
import { assertSecretFree } from "../secret-free.ts";
import type { NewTask, TaskPayload } from "../task.ts";

/** What is said to a session. A turn takes along all that waits, so a busy session has one task in the queue at most. */
export interface SessionInbox {
  /** The same key says it once. Throws a `QueueFull` beyond `maxQueued`; then nothing was said. */
  say(session: string, text: string, options?: SayOptions): Promise<SaidMessage>;
  /** The task whose turn has the message; null while it waits. */
  taskOf(message: SaidMessage): Promise<string | null>;
}

export interface SayOptions
  extends Pick<TaskPayload, "repo" | "model" | "limits" | "person" | "traceparent">,
    Pick<NewTask, "limit" | "label"> {
  readonly key?: string;
  readonly maxQueued?: number;
}

export interface SaidMessage {
  readonly session: string;
  readonly n: number;
}

const LONGEST = 1_000_000;
const LONGEST_SESSION = 200;

export function createSessionInbox(db: Pg, queue: Pick<TaskQueue, "submit">): SessionInbox {
  /** False: a turn has it already, so it was said. */
  const takeBack = async (session: string, n: number): Promise<boolean> =>
    (await db.patient.run("delete from inbox where session = ? and n = ? and task is null", session, n)) > 0;
  return {
    async say(session, text, { key = randomUUID(), maxQueued, limit, label, ...more } = {}) {
      if (session === "" || session.length > LONGEST_SESSION)
        throw new RangeError(`The id of a session has 1 to ${LONGEST_SESSION} characters.`);
      if (text.trim() === "") throw new RangeError("There is nothing to say: give a text.");
      if (text.length > LONGEST) throw new RangeError(`A message has at most ${LONGEST} characters.`);
      const payload: TaskPayload = { format: 1, text: "", ...more };
      assertSecretFree(payload);
      const row = await db.patient.one("select * from say_in_session(?, ?, ?, ?)", session, `said ${key}`, text, more.person ?? null);
      const { n, task, waits } = row!;
      // The message is there before anybody looks: the task that waits will take it along.
      if (task === null && !waits)
        await queue
          .submit(
            [{ session, key: `inbox ${session} ${n}`, payload, ...(limit && { limit }), ...(label && { label }) }],
            maxQueued === undefined ? {} : { maxQueued },
          )
          .catch(async (error) => {
            if (error instanceof QueueFull && (await takeBack(session, n))) throw error;
            if (!(error instanceof QueueFull)) throw error;
          });
      return { session, n };
    },
    async taskOf({ session, n }) {
      const row = await db.patient.one("select task from inbox where session = ? and n = ?", session, n);
      return row?.task ?? null;
    },
  };
}

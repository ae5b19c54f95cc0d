import { randomUUID } from "node:crypto";
import type { Pg } from "../../store/pg/pg.ts";
import type { TaskQueue } from "../queue.ts";
import type { NewTask, TaskPayload } from "../task.ts";

/** What is said to a session. A turn takes along all that waits, so a busy session has one task in the queue at most. */
export interface SessionInbox {
  /** The same key says it once. */
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
  return {
    async say(session, text, { key = randomUUID(), maxQueued, limit, label, ...more } = {}) {
      if (session === "" || session.length > LONGEST_SESSION)
        throw new RangeError(`The id of a session has 1 to ${LONGEST_SESSION} characters.`);
      if (text.trim() === "") throw new RangeError("There is nothing to say: give a text.");
      if (text.length > LONGEST) throw new RangeError(`A message has at most ${LONGEST} characters.`);
      const row = await db.patient.one("select * from say_in_session(?, ?, ?, ?)", session, `said ${key}`, text, more.person ?? null);
      const { n, task, waits } = row!;
      // The message is there before anybody looks: the task that waits will take it along.
      if (task === null && !waits)
        await queue.submit(
          [
            {
              session,
              key: `inbox ${session} ${n}`,
              payload: { format: 1, text: "", ...more },
              ...(limit && { limit }),
              ...(label && { label }),
            },
          ],
          maxQueued === undefined ? {} : { maxQueued },
        );
      return { session, n };
    },
    async taskOf({ session, n }) {
      const row = await db.patient.one("select task from inbox where session = ? and n = ?", session, n);
      return row?.task ?? null;
    },
  };
}

import type { CallFate, SessionFence } from "../../core/ports/fleet/session.ts";
import type { Pg } from "../../store/pg/pg.ts";
import type { TaskPayload } from "../task.ts";
import type { TakenTask } from "../worker-queue.ts";
import type { KeptSnapshot } from "../workspace/remote.ts";

/** What the database knows of a session that this worker was given. Every write names the number it was given with. */
export interface TurnRows {
  /** What is to be said, and where the files are. Null: the session is somebody else's by now. `place` names where this worker keeps folders. */
  begin(task: TakenTask, place: string): Promise<TurnStart | null>;
  /** What has no position yet is said in a conversation that is so long. */
  markSaid(task: TakenTask, position: number): Promise<boolean>;
  /** Returns older ones that nobody needs; null: the session is somebody else's, and nothing was written. */
  recordSnapshot(fence: SessionFence, snapshot: KeptSnapshot, repo: string): Promise<readonly KeptSnapshot[] | null>;
  /** What journals say of calls that may have been made in any turn of the session. */
  fates(session: string, calls: readonly string[]): Promise<ReadonlyMap<string, CallFate>>;
}

export interface TurnStart {
  /** The session's folder lies below the same place as before. */
  readonly isHere: boolean;
  /** The repository that the session was given, now or before. */
  readonly repo: TaskPayload["repo"] | null;
  /** How long the conversation was when something was last said by a turn of a fleet; null: nothing was. */
  readonly said: number | null;
  readonly messages: readonly TurnMessage[];
  readonly snapshot: (KeptSnapshot & { readonly repo: string }) | null;
}

export interface TurnMessage {
  readonly n: number;
  readonly text: string;
  /** How long the conversation was before it was said; null: nobody has begun to. */
  readonly position: number | null;
}

export function createTurnRows(db: Pg): TurnRows {
  return {
    async begin({ session, epoch, id, payload: { text, person, repo } }, place) {
      const given = repo ? JSON.stringify(repo) : null;
      const row = await db.patient.one(
        "select begin_turn(?, ?, ?, ?, ?, ?, ?) as found",
        session,
        epoch,
        id,
        text,
        person ?? null,
        place,
        given,
      );
      const found = row!.found;
      if (found === null) return null;
      const { before, said, messages, snapshot } = found;
      return { isHere: before === place, repo: found.repo === null ? null : JSON.parse(found.repo), said, messages, snapshot };
    },
    async markSaid({ session, epoch, id }, position) {
      const row = await db.patient.one("select mark_said(?, ?, ?, ?) as ours", session, epoch, id, position);
      return row!.ours;
    },
    async recordSnapshot({ session, epoch }, { n, commit, place }, repo) {
      const row = await db.patient.one("select record_snapshot(?, ?, ?, ?, ?, ?) as old", session, epoch, n, commit, place, repo);
      return row!.old;
    },
    async fates(session, calls) {
      if (calls.length === 0) return new Map();
      const rows = await db.patient.all(
        // Not by way of the inbox: a call that is not found is told as not made, and then it may be made again.
        "select call, state from call_fates(?, ?)",
        session,
        calls,
      );
      return new Map(rows.map(({ call, state }) => [call, state === "done" ? "ended" : "unknown"]));
    },
  };
}

import type { Answer, Question } from "../../core/event.ts";
import type { Bus } from "../../core/ports/fleet/session.ts";
import type { Pg, PgRow } from "../../store/pg/pg.ts";
import { SUBJECTS } from "../bus/subjects.ts";

/** A question that waits for another person, or was answered. */
export interface FleetApproval {
  readonly id: string;
  readonly session: string;
  /** Who wants it. They cannot answer. */
  readonly askedBy: string;
  readonly question: Question;
  /** What an answer is for: the tool and its arguments. */
  readonly digest: string;
  readonly askedAt: number;
  /** After that it is a no. */
  readonly until: number;
  readonly answer: Answer | null;
  readonly answeredBy: string | null;
  readonly reason: string | null;
}

/** What a person answers, about which arguments. */
export interface ApprovalAnswer {
  readonly answer: Answer;
  readonly digest: string;
  /** Without the tenant. */
  readonly by: string;
  readonly reason?: string | undefined;
}

/** `counted`, or why the answer changed nothing. */
export type ApprovalEnd = "counted" | "unknown" | "own" | "other arguments" | "answered" | "over";

/** Why an answer changed nothing, for whoever gave it. */
export const APPROVAL_WORDS: Readonly<Record<Exclude<ApprovalEnd, "counted">, string>> = {
  unknown: "There is no such question.",
  own: "The question has to be answered by another person than the one who asked.",
  "other arguments": "The answer is about other arguments than those of the question. Look at it again.",
  answered: "The question was answered before.",
  over: "Nobody waits for the answer any more: its time is over, or the session ended.",
};

/** The questions of a tenant, for those who answer them. */
export interface FleetApprovals {
  /** Open ones, the oldest first. */
  open(limit?: number): Promise<readonly FleetApproval[]>;
  /** The ids of open ones, of one session or of all. */
  openIds(session: string | null): Promise<readonly string[]>;
  /** By its id, or the beginning of one that only one has. Null: there is none, or more than one. */
  find(id: string): Promise<FleetApproval | null>;
  answer(id: string, given: ApprovalAnswer): Promise<ApprovalEnd>;
  /** Answers of "always": proposals for the policy, the newest first. */
  proposals(limit?: number): Promise<readonly FleetApproval[]>;
  /** Nobody needs these answers any more: the session is over, or was cancelled. Also for workers. */
  withdraw(session: string): Promise<number>;
}

const MOST_LISTED = 200;
const MOST_COUNTED = 10_000;
/** A yes for a session ends with it; this is the longest that a session's row is believed. */
const GRANT_DAYS = 7;

export function createFleetApprovals(db: Pg, bus: Bus | null): FleetApprovals {
  /** Told when a question is asked, answered or taken back. */
  const told = (session: string) => bus?.tell(SUBJECTS.ask(db.tenant), { session });
  const find = async (id: string): Promise<PgRow | null> => {
    if (!/^[0-9a-f-]{4,36}$/i.test(id)) return null;
    const rows = await db.all(`select ${COLUMNS} from approvals where starts_with(id::text, ?) limit 2`, id.toLowerCase());
    return rows.length === 1 ? rows[0]! : null;
  };
  return {
    async open(limit = MOST_LISTED) {
      const rows = await db.all(
        `select ${COLUMNS} from approvals where answer is null and closed_at is null and until > now() order by asked_at, id limit ?`,
        limit,
      );
      return rows.map(readApproval);
    },
    async openIds(session) {
      const rows = await db.all(
        `select id from approvals where answer is null and closed_at is null and until > now() and (?1::text is null or session = ?1)
         order by asked_at, id limit ?2`,
        session,
        MOST_COUNTED,
      );
      return rows.map((row) => row.id);
    },
    async find(id) {
      const row = await find(id);
      return row && readApproval(row);
    },
    async answer(id, { answer, digest, by, reason }) {
      if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return "unknown";
      const end = await db.together(async (rows): Promise<ApprovalEnd | { readonly session: string }> => {
        const found = await rows.one(
          "select digest, asked_by, answer, closed_at is not null or until <= now() as over from approvals where id = ? for update",
          id,
        );
        if (!found) return "unknown";
        if (found.digest !== digest) return "other arguments";
        if (found.asked_by.toLowerCase() === by.toLowerCase()) return "own";
        if (found.answer !== null) return "answered";
        if (found.over) return "over";
        const session = await rows.one(
          "update approvals set answer = ?, answered_by = ?, answered_at = now(), reason = ? where id = ? returning session",
          answer,
          by,
          reason?.trim().slice(0, LONGEST_REASON) || null,
          id,
        );
        if (answer !== "once" && answer !== "no")
          await rows.run(
            `insert into grants (session, approval, kind, asked_by, digest, shown, given_by, until)
             select session, id, ?, asked_by, digest, shown, answered_by, now() + ? * interval '1 day' from approvals where id = ?`,
            answer === "edits" ? "edits" : "call",
            GRANT_DAYS,
            id,
          );
        return { session: session!.session };
      });
      if (typeof end === "string") return end;
      told(end.session);
      return "counted";
    },
    async proposals(limit = MOST_LISTED) {
      const rows = await db.all(`select ${COLUMNS} from approvals where answer = 'always' order by answered_at desc, id limit ?`, limit);
      return rows.map(readApproval);
    },
    async withdraw(session) {
      const count = await db.run(
        "update approvals set closed_at = now() where session = ? and used_at is null and closed_at is null",
        session,
      );
      if (count > 0) told(session);
      return count;
    },
  };
}

const LONGEST_REASON = 2000;

const COLUMNS = "id, session, asked_by, question, digest, asked_at, until, answer, answered_by, reason";

const readApproval = (row: PgRow): FleetApproval => ({
  id: row.id,
  session: row.session,
  askedBy: row.asked_by,
  question: JSON.parse(row.question),
  digest: row.digest,
  askedAt: row.asked_at.getTime(),
  until: row.until.getTime(),
  answer: row.answer,
  answeredBy: row.answered_by,
  reason: row.reason,
});

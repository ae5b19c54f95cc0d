import type { Answered, Confirm, ConfirmAnswer, Question } from "../../core/event.ts";
import { fleetCallerId } from "../../core/ports/fleet/person.ts";
import type { Bus, SessionFence } from "../../core/ports/fleet/session.ts";
import { isTransient } from "../../store/pg/error.ts";
import type { Pg, PgRow } from "../../store/pg/pg.ts";
import { createQueue, type Queue } from "../../text/queue.ts";
import { SUBJECTS } from "../bus/subjects.ts";
import { createHints, type Hints } from "./hints.ts";
import { digestQuestion, type QuestionDigest } from "./question-digest.ts";

/** What it takes to have a question answered by another person. */
export interface FleetConfirmParts {
  readonly db: Pg;
  /** Null: answers are found by looking. */
  readonly bus: Bus | null;
  readonly session: string;
  /** The person on whose behalf the session works now, without the tenant. They cannot answer. */
  readonly person: () => string;
  /** What is stored holds no secrets. */
  readonly redact: (text: string) => string;
  /** The number the session is held with; null where one process has the session for its whole life. */
  readonly fence?: () => SessionFence | null;
  /** The workspace on this machine: elsewhere the same question names another folder. */
  readonly workspace?: string;
  /** After this time it is a no. */
  readonly waitMs?: () => number;
  readonly pollMs?: number;
}

const USUAL_WAIT_MS = 60 * 60_000;
const USUAL_POLL_MS = 1000;
/** What cannot be shown whole is not asked about. */
const LONGEST_QUESTION = 256 * 1024;

/** Puts questions as rows that another person answers. The call waits; a session that is taken over meanwhile finds its row again. */
export function createFleetConfirm(parts: FleetConfirmParts): Confirm {
  const { db, bus, pollMs = USUAL_POLL_MS } = parts;
  const hints = createHints(bus, SUBJECTS.ask(db.tenant));
  const queues = new Map<string, { readonly inTurn: Queue; waiting: number }>();
  return async (question, { signal }) => {
    const digests = digestQuestion(question, parts.workspace);
    const key = `${digests.digest} ${digests.shown}`;
    // Two calls that are the same would share one row, and one answer is for one call.
    const queue = queues.get(key) ?? { inTurn: createQueue(), waiting: 0 };
    queues.set(key, queue);
    queue.waiting++;
    try {
      return await queue.inTurn(() => askOther({ ...parts, pollMs, hints, question, digests, signal }));
    } finally {
      queue.waiting--;
      if (queue.waiting === 0) queues.delete(key);
    }
  };
}

interface Asking extends FleetConfirmParts {
  readonly pollMs: number;
  readonly hints: Hints;
  readonly question: Question;
  readonly digests: QuestionDigest;
  readonly signal: AbortSignal;
}

async function askOther(asking: Asking): Promise<ConfirmAnswer> {
  const { db, signal, hints, pollMs, question, redact } = asking;
  const text = JSON.stringify(question, (_name, value) => (typeof value === "string" ? redact(value) : value));
  if (text.length > LONGEST_QUESTION)
    return { unasked: `The question has ${text.length} characters, and nobody can be shown more than ${LONGEST_QUESTION}.` };
  const asker: Asker = { text, person: asking.person(), epoch: asking.fence?.()?.epoch ?? 0 };
  const awake = hints.listen();
  let id: string | null = null;
  try {
    while (!signal.aborted) {
      try {
        if (id === null) {
          const known = await findGrant(asking, asker);
          if (known) return known;
          id = await openRow(asking, asker);
        }
        const end = id === null ? LOST : await lookAt(db, id, asker);
        if (end) return end;
      } catch (error) {
        // The server is away. The question stays, and so does whoever waits for its answer.
        if (!isTransient(error)) throw error;
      }
      await awake.next(pollMs, signal);
    }
    return null;
  } finally {
    awake.close();
  }
}

interface Asker {
  /** The question as it is stored. */
  readonly text: string;
  readonly person: string;
  readonly epoch: number;
}

const LOST = { unasked: "The session is held by another worker now, so nobody was asked." };
const TAKEN_BACK = { unasked: "The question was taken back: nobody waits for its answer any more." };

/** What was said for the whole session, also to another worker that had it before. */
async function findGrant({ db, session, digests, question }: Asking, { person }: Asker): Promise<Answered | null> {
  const found = await db.one(
    `select kind, given_by from grants where session = ? and asked_by = ? and until > now()
     and (kind = 'call' and digest = ? and shown = ? or kind = 'edits' and ?::boolean) order by given_at limit 1`,
    session,
    person,
    digests.digest,
    digests.shown,
    question.all_edits === true,
  );
  if (!found) return null;
  return { answer: found.kind === "edits" ? "edits" : "session", by: fleetCallerId({ tenant: db.tenant, person: found.given_by }) };
}

/** The row of this question, made or found again; null when another worker has the session by now. */
async function openRow({ db, bus, session, digests, waitMs }: Asking, { text, person, epoch }: Asker): Promise<string | null> {
  const { digest, shown } = digests;
  const row = await db.together(async (rows) => {
    // One that showed something else, or whose time is over, is not the question that is asked now.
    await rows.run(
      `update approvals set closed_at = now() where session = ? and digest = ? and used_at is null and closed_at is null
       and (shown <> ? or asked_by <> ? or case when answer is null then until else greatest(until, answered_at + ${KEPT}) end <= now())`,
      session,
      digest,
      shown,
      person,
    );
    return rows.one(
      `insert into approvals as a (session, epoch, asked_by, question, digest, shown, until)
       values (?, ?, ?, ?, ?, ?, now() + ? * interval '1 millisecond')
       on conflict (tenant, session, asked_by, digest, shown) where used_at is null and closed_at is null
       do update set epoch = greatest(a.epoch, excluded.epoch) returning id, epoch`,
      session,
      epoch,
      person,
      text,
      digest,
      shown,
      waitMs?.() ?? USUAL_WAIT_MS,
    );
  });
  bus?.tell(SUBJECTS.ask(db.tenant), { session });
  return row!.epoch > epoch ? null : row!.id;
}

/** An answer that came while a session changed hands counts for so long. */
const KEPT = "interval '10 minutes'";

/** How the question ended; null while it is open. An answer is taken once, by whoever holds the session. */
async function lookAt(db: Pg, id: string, { epoch }: Asker): Promise<ConfirmAnswer> {
  const row = await db.one("select answer, epoch, until <= now() as over, closed_at, used_at from approvals where id = ?", id);
  if (!row || row.epoch > epoch) return LOST;
  if (row.closed_at !== null) return TAKEN_BACK;
  if (row.answer !== null) {
    const taken = await db.one(
      "update approvals set used_at = now() where id = ? and used_at is null and epoch = ? returning answer, answered_by, reason",
      id,
      epoch,
    );
    return taken ? answerIn(db, taken) : LOST;
  }
  if (!row.over) return null;
  const closed = await db.run("update approvals set closed_at = now() where id = ? and answer is null", id);
  return closed > 0 ? { answer: "no", by: "zeph", reason: "Nobody answered in time." } : null;
}

/** "Always" is a proposal for the policy. On this machine it writes no rule: it counts for the session. */
const answerIn = ({ tenant }: Pg, { answer, answered_by, reason }: PgRow): Answered => ({
  answer: answer === "always" ? "session" : answer,
  by: fleetCallerId({ tenant, person: answered_by }),
  ...(reason !== null && { reason }),
});

import type { OpenQuestion, OpenQuestions } from "../../../core/ports/open-questions.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites, type FenceNow } from "./fence.ts";

interface Row {
  readonly body: string;
  readonly since: number;
  readonly answered: string | null;
}

const COLUMNS = "select body, since, answered from open_questions";

export function createSharedOpenQuestions(db: Transactions, fence: FenceNow): OpenQuestions {
  const writes = createFencedWrites(db, fence);
  const read = ({ body, since, answered }: Row): OpenQuestion => ({
    ...(JSON.parse(body) as Omit<OpenQuestion, "since">),
    since,
    ...(answered !== null && { answered: JSON.parse(answered) }),
  });
  return {
    add: async ({ answered, ...question }) =>
      void (await writes.run(
        `insert into open_questions (call_id, workspace, conversation_id, body, since, repeats, answered) select ?, ?, ?, ?, ?, ?, ? from fence
         on conflict (tenant, call_id) do update set workspace = excluded.workspace, conversation_id = excluded.conversation_id,
           body = excluded.body, since = excluded.since, repeats = excluded.repeats, answered = excluded.answered`,
        question.callId,
        question.workspace,
        question.question.conversation ?? null,
        JSON.stringify(question),
        Date.now(),
        question.repeats === true,
        answered === undefined ? null : JSON.stringify(answered),
      )),
    get: async (callId) => {
      const row = await db.one<Row>(`${COLUMNS} where call_id = ?`, callId);
      return row ? read(row) : null;
    },
    list: async ({ workspace = null, conversation = null } = {}) =>
      (
        await db.all<Row>(
          `${COLUMNS} where (?1::text is null or workspace = ?1) and (?2::text is null or conversation_id = ?2) and answered is null
           order by since, call_id`,
          workspace,
          conversation,
        )
      ).map(read),
    answer: async (callId, given) =>
      (await writes.run(
        "update open_questions set answered = ?1 where call_id = ?2 and (answered is null or answered = ?1) and exists (select 1 from fence)",
        JSON.stringify({ ...given, at: Date.now() }),
        callId,
      )) > 0,
    repeated: async (workspace) =>
      (await db.all<Row>(`${COLUMNS} where workspace = ? and repeats order by since, call_id`, workspace)).map(read),
    take: async (callId) => (await writes.run("delete from open_questions where call_id = ? and exists (select 1 from fence)", callId)) > 0,
  };
}

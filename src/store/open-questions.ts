import type { OpenQuestion, OpenQuestions } from "../core/ports/open-questions.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

interface Row {
  readonly body: string;
  readonly since: number;
}

export function createOpenQuestions(db: Sqlite): OpenQuestions {
  const add = db.statement(
    "insert or replace into open_questions (call_id, workspace, conversation_id, body, since) values (?, ?, ?, ?, ?)",
  );
  const get = db.statement<Row>("select body, since from open_questions where call_id = ?");
  const list = db.statement<Row>(
    `select body, since from open_questions
     where workspace = coalesce(?, workspace) and coalesce(conversation_id, '') = coalesce(?, conversation_id, '')
       and body ->> '$.answered' is null order by since, call_id`,
  );
  const repeated = db.statement<Row>("select body, since from open_questions where workspace = ? and body ->> '$.repeats' order by since");
  const answer = db.statement(
    "update open_questions set body = json_set(body, '$.answered', json(?)) where call_id = ? and body ->> '$.answered' is null",
  );
  const take = db.statement("delete from open_questions where call_id = ?");
  const read = ({ body, since }: Row): OpenQuestion => ({ ...(JSON.parse(body) as Omit<OpenQuestion, "since">), since });
  return {
    add: async (question) =>
      void add.run(question.callId, question.workspace, question.question.conversation ?? null, JSON.stringify(question), Date.now()),
    get: async (callId) => {
      const row = get.get(callId);
      return row ? read(row) : null;
    },
    list: async ({ workspace = null, conversation = null } = {}) => list.all(workspace, conversation).map(read),
    answer: async (callId, given) => answer.run(JSON.stringify({ ...given, at: Date.now() }), callId) > 0,
    repeated: async (workspace) => repeated.all(workspace).map(read),
    take: async (callId) => take.run(callId) > 0,
  };
}

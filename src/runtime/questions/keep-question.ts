import type { Answered, Question } from "../../core/event.ts";
import type { OpenQuestion, OpenQuestions } from "../../core/ports/open-questions.ts";
import { type Caller, callerOfTurn } from "../../core/session.ts";
import type { CallContext } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { KeptQuestion, RunParts } from "../../pipeline/run.ts";
import { canonicalJson } from "../../text/json.ts";

/** A model that tries everything must not fill the store: the oldest questions go first, and are asked again with their call. */
const MOST_OPEN = 200;
/** How long an answer waits for the call to be made again. */
const ANSWER_MS = 24 * 60 * 60_000;

/** Keeps questions whose answer comes later. A call that is made again is the same question: it takes the answer, once, or goes on waiting for it. */
export const createQuestionKeeper =
  (questions: OpenQuestions, workspace: string): NonNullable<RunParts["keepQuestion"]> =>
  async (question, kept, ctx) => {
    if (ctx.repeats) {
      const known = await findRepeated(questions, { workspace, tool: question.tool, kept, turn: ctx.turn });
      if (known) return known;
      const unanswered = (await questions.repeated(workspace)).filter(({ answered }) => !answered);
      for (const { callId } of unanswered.slice(0, Math.max(0, unanswered.length + 1 - MOST_OPEN))) await questions.take(callId);
    }
    await questions.add(openQuestion(question, kept, workspace, ctx));
    return { callId: question.call_id };
  };

/** Keeps a question of a conversation while somebody is asked: when the process is killed meanwhile, the call is known as not run, and the question is still open. */
export const createQuestionHolder =
  (questions: OpenQuestions, workspace: string): NonNullable<RunParts["holdQuestion"]> =>
  async (question, kept, ctx) => {
    if (question.conversation === undefined || question.request === undefined || ctx.turn.skillName !== undefined) return null;
    await questions.add({ ...openQuestion(question, kept, workspace, ctx), asking: process.pid });
    return () => questions.take(question.call_id);
  };

const openQuestion = (question: Question, kept: KeptQuestion, workspace: string, { turn, repeats }: CallContext) => ({
  callId: question.call_id,
  workspace,
  question,
  ...kept,
  // Whoever answers may have no such agent any more.
  caller: callerOfTurn({ ...turn, agent: undefined }),
  untrusted: turn.seen.untrusted,
  ...(repeats && { repeats }),
});

/** What is known of this very call. A question that showed something else by now is dropped: no answer to it counts any more. */
async function findRepeated(
  questions: OpenQuestions,
  { workspace, tool, kept, turn }: { workspace: string; tool: string; kept: KeptQuestion; turn: TurnContext },
): Promise<{ readonly callId: string } | { readonly answered: Answered } | null> {
  const args = canonicalJson(kept.args);
  for (const one of await questions.repeated(workspace)) {
    if (one.question.tool !== tool || canonicalJson(one.args) !== args || whoIn(one.caller) !== whoIn(turn)) continue;
    const isSame = shownIn(one) === shownIn(kept);
    if (isSame && !one.answered) return { callId: one.callId };
    // Of two calls at once only one takes the answer.
    const isTaken = await questions.take(one.callId);
    if (isSame && isTaken && one.answered && Date.now() - one.answered.at < ANSWER_MS) return { answered: answerIn(one.answered) };
  }
  return null;
}

/** One caller's yes serves no other. An MCP client that comes again is the same one under another id. */
const whoIn = ({ trust, rights }: Pick<Caller, "trust" | "rights">): string => JSON.stringify([trust, rights?.id]);
const shownIn = ({ asked, sight }: Pick<OpenQuestion, "asked" | "sight">): string => canonicalJson([asked, sight]);
const answerIn = ({ at: _at, ...answer }: NonNullable<OpenQuestion["answered"]>): Answered => answer;

import { ToolError } from "../../core/error.ts";
import type { Answered } from "../../core/event.ts";
import type { OpenQuestion, OpenQuestions } from "../../core/ports/open-questions.ts";
import { ToolRequest } from "../../core/request.ts";
import type { CallContext } from "../../core/tool.ts";
import type { CallerRights } from "../../core/turn.ts";
import { ANOTHER_PERSON, lacksSecondPerson } from "../../pipeline/ask/four-eyes.ts";
import { isAnswered } from "../../pipeline/ask/put-question.ts";

const whoseQuestion = (rights: CallerRights | undefined): string =>
  rights
    ? `The question belongs to the caller "${rights.id}". Answer it with zeph.as({ id: "${rights.id}", … }).answer().`
    : "The question belongs to another caller. Answer it with the runtime itself.";

/** A question that was left for later, with its answer: the call it is about, as it has to be made now. */
export interface TakenQuestion
  extends Required<Pick<CallContext, "kept">>,
    Pick<CallContext, "requestId">,
    Pick<OpenQuestion, "caller" | "untrusted"> {
  readonly request: ToolRequest;
}

/** The answer is kept. The call is made when its caller makes it again. */
export interface WaitingAnswer {
  readonly waits: string;
}

const KEPT = "The answer is kept for a day. It counts when the client makes the same call again.";
const tooLate = (callId: string) => new ToolError("permanent_failure", `The question about the call ${callId} was answered a moment ago.`);

export interface GivenAnswer {
  readonly callId: string;
  readonly workspace: string;
  readonly answer: Answered;
  readonly fourEyes: boolean;
  /** As whom the question is answered: a caller with rights of its own (`zeph.as`), as those are now. */
  readonly rights?: CallerRights | undefined;
}

/** Takes a question out of the store, once: whoever comes second finds none. */
export async function takeQuestion(
  questions: OpenQuestions,
  { callId, workspace, answer, fourEyes, rights }: GivenAnswer,
): Promise<TakenQuestion | WaitingAnswer | ToolError> {
  if (!isAnswered(answer))
    return new ToolError("invalid_parameters", "An answer is an object with answer (once, session, edits, always or no), by and reason.");
  const found = await questions.get(callId);
  if (!found || found.answered)
    return new ToolError("permanent_failure", `No question about the call ${callId} is open. It may have been answered already.`);
  if (found.workspace !== workspace)
    return new ToolError("permanent_failure", `The question belongs to the workspace ${found.workspace}. Answer it there.`);
  // Rights that were given when the question was asked may be others by now, so those of the store are never used.
  if (found.caller.rights?.id !== rights?.id) return new ToolError("permanent_failure", whoseQuestion(found.caller.rights));
  if (fourEyes && lacksSecondPerson(answer, found.caller.callerId)) return new ToolError("confirmation_required", ANOTHER_PERSON);
  if (found.repeats) return (await questions.answer(callId, answer)) ? { waits: KEPT } : tooLate(callId);
  const request = ToolRequest.from({ id: callId, name: found.question.tool, args: found.args }, () => true);
  if (!request || !(await questions.take(callId))) return tooLate(callId);
  return {
    request,
    kept: { answer, asked: found.asked, sight: found.sight },
    caller: { ...found.caller, ...(rights && { rights }) },
    untrusted: found.untrusted,
    ...(found.question.request !== undefined && { requestId: found.question.request }),
  };
}

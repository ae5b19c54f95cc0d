import { type Answered, answeredWords, type Question } from "../core/event.ts";
import { keepRecent } from "../text/keep-recent.ts";
import { makeOnce } from "../text/make-once.ts";
import type { AnswerLine, LiveQuestionLine, QuestionEnd } from "./wire.ts";

/** An answer from another process. */
export interface AnswerFromElsewhere extends Required<Pick<Answered, "answer" | "by">>, Pick<Answered, "reason"> {
  readonly where: string;
}

/** A question as it waits for an answer from elsewhere. */
export interface WaitingQuestion {
  /** Never settles when the question ends here. */
  readonly answered: Promise<AnswerFromElsewhere>;
  /** It ended here. False: an answer from elsewhere was faster. */
  end(how: QuestionEnd): boolean;
}

/** Questions of one process that wait for an answer. Of two answers the first counts. */
export interface QuestionBoard {
  put(asked: PutQuestion): WaitingQuestion;
  /** Null when the answer counts; otherwise why not. */
  take(line: AnswerLine): string | null;
  open(): readonly LiveQuestionLine[];
}

export interface PutQuestion {
  readonly question: Question;
  readonly run: number;
  /** The question without secrets, or null where it is too long to be shown whole. */
  show(): Question | null;
  /** Why an answer cannot count; the question stays open then. */
  refusal(said: AnswerFromElsewhere): string | null;
}

export interface BoardParts {
  opened(line: () => LiveQuestionLine): void;
  ended(callId: string, end: QuestionEnd): void;
}

interface Waiting {
  readonly line: () => LiveQuestionLine;
  readonly refusal: (said: AnswerFromElsewhere) => string | null;
  readonly settle: (said: AnswerFromElsewhere) => void;
}

/** So many ends are remembered, to tell whoever answers too late. */
const MOST_ENDS = 500;

export function createQuestionBoard({ opened, ended }: BoardParts): QuestionBoard {
  const waiting = new Map<string, Waiting>();
  const ends = new Map<string, QuestionEnd>();
  /** An answer to one question about a call must never count for the next one about it. */
  const freeId = (callId: string): string => {
    let id = callId;
    for (let n = 2; waiting.has(id) || ends.has(id); n++) id = `${callId}.${n}`;
    return id;
  };
  const end = (id: string, how: QuestionEnd): boolean => {
    if (!waiting.delete(id)) return false;
    keepRecent(ends, id, how, MOST_ENDS);
    ended(id, how);
    return true;
  };
  return {
    put({ question, run, show, refusal }) {
      const id = freeId(question.call_id);
      const since = Date.now();
      const line = makeOnce((): LiveQuestionLine => {
        const shown = show();
        return {
          call_id: id,
          run,
          since,
          ...(shown ? { question: shown } : { question: { ...question, args: {}, why: [], touches: [] }, too_long: true }),
        };
      });
      const answered = new Promise<AnswerFromElsewhere>((settle) => waiting.set(id, { line, refusal, settle }));
      opened(line);
      return { answered, end: (how) => end(id, how) };
    },
    take({ call_id: id, answer, by, reason, where }) {
      const one = waiting.get(id);
      if (!one) return tooLate(ends.get(id));
      if (one.line().too_long && answer !== "no") return "The question is too long to be shown whole, so only a no is taken from here.";
      const said: AnswerFromElsewhere = { answer, by, where, ...(reason !== undefined && { reason }) };
      const why = one.refusal(said);
      if (why !== null) return why;
      end(id, { answered: { answer, by, where } });
      one.settle(said);
      return null;
    },
    open: () => [...waiting.values()].map(({ line }) => line()),
  };
}

function tooLate(end: QuestionEnd | undefined): string {
  if (!end) return "No such question is open. It may have been answered already.";
  if (!end.answered) return "The question is not open any more: nobody needs an answer.";
  return `Too late: the question was ${answeredWords(end.answered)}.`;
}

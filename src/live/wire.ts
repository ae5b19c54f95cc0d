import type { Answer, AnsweredBy, Question } from "../core/event.ts";

/** What one side may send at once. Who sends more is cut off. */
export const LONGEST_REQUEST = 64 * 1024;
/** A question is sent whole or not at all; everything else is much shorter. */
export const LONGEST_LINE = 2 * 1024 * 1024;

/** One runtime of a process: a chat has one, a server one for each session. */
export interface LiveRunLine {
  /** Counted within the process. */
  readonly run: number;
  /** `chat`, `run`, `schedule`, `mcp`, `acp`. */
  readonly kind: string;
  readonly workspace: string;
  readonly since: number;
  readonly model?: string;
  readonly conversation?: string;
  readonly calls: readonly LiveCall[];
}

/** A call under way. */
export interface LiveCall {
  readonly call_id: string;
  readonly tool: string;
  readonly args: unknown;
  readonly since: number;
}

/** A question that waits in a running process. */
export interface LiveQuestionLine {
  /** What an answer has to name. It is the id of the call; a second question about the same call has a number behind it. */
  readonly call_id: string;
  readonly run: number;
  readonly since: number;
  readonly question: Question;
  /** It is too long to be shown whole, so only a no is taken from here. */
  readonly too_long?: true;
}

/** How a question ended. Without an answer nobody needs one any more. */
export interface QuestionEnd {
  readonly answered?: AnsweredBy;
}

/** What a process says of itself to whoever may hear it. */
export type LiveLine =
  /** Comes first: the file of the sockets' folder that the other side has to open and tell the text of, to show which process it is. */
  | { readonly type: "prove"; readonly file: string }
  | { readonly type: "refused"; readonly why: string }
  | {
      readonly type: "hello";
      readonly pid: number;
      readonly since: number;
      readonly version: string;
      readonly runs: readonly LiveRunLine[];
      readonly questions: readonly LiveQuestionLine[];
    }
  | ({ readonly type: "run" } & LiveRunLine)
  | { readonly type: "run_end"; readonly run: number }
  /** An event as `zeph run --json` prints it, shortened and without secrets. */
  | { readonly type: "event"; readonly run: number; readonly at: number; readonly event: Readonly<Record<string, unknown>> }
  | ({ readonly type: "question" } & LiveQuestionLine)
  | ({ readonly type: "question_end"; readonly call_id: string } & QuestionEnd)
  | { readonly type: "answer_taken"; readonly call_id: string }
  | { readonly type: "answer_refused"; readonly call_id: string; readonly why: string };

/** The text of the file that was named, and who has it open. */
export interface ProofLine {
  readonly pid: number;
  readonly text: string;
}

/** An answer from elsewhere. */
export interface AnswerLine {
  readonly answer: Answer;
  readonly call_id: string;
  readonly by: string;
  readonly reason?: string;
  /** Where it was given: `zeph watch`. */
  readonly where: string;
}

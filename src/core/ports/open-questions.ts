import type { Answered, Question } from "../event.ts";
import type { Objection } from "../gate/verdict.ts";
import type { Caller } from "../session.ts";

/** Questions whose answer comes later, also after the process that asked has ended. */
export interface OpenQuestions {
  /** In place of what was kept about the same call. */
  add(question: Omit<OpenQuestion, "since">): Promise<void>;
  get(callId: string): Promise<OpenQuestion | null>;
  /** Those that nobody has answered, the oldest first. */
  list(where?: { readonly workspace?: string; readonly conversation?: string }): Promise<readonly OpenQuestion[]>;
  /** Takes the question away. False when it is gone already: of two answers only the first counts. */
  take(callId: string): Promise<boolean>;
  /** Keeps an answer until the call is made again. False when there is one already, or no such question. */
  answer(callId: string, answer: Answered): Promise<boolean>;
  /** Those whose call is made again after the answer, with their answers. */
  repeated(workspace: string): Promise<readonly OpenQuestion[]>;
}

/** A question as it was shown, and what it takes to make the call after the answer. */
export interface OpenQuestion {
  readonly callId: string;
  readonly workspace: string;
  /** When it was kept, in milliseconds as of `Date.now()`. */
  readonly since: number;
  readonly question: Question;
  /** The arguments as they came. The question holds them as the tool reads them. */
  readonly args: unknown;
  /** What the gates said. A yes covers this and nothing else. */
  readonly asked: readonly Objection[];
  /** What lay on the disk where the call would act. A yes does not cover another state. */
  readonly sight: string;
  readonly caller: Caller;
  /** The caller had read what a stranger wrote. */
  readonly untrusted: boolean;
  /** The caller makes the call again once it is answered; only then is it run. */
  readonly repeats?: true;
  /** The process that has put the question to somebody, and has no answer yet. */
  readonly asking?: number;
  /** The answer that waits for that, and when it came. */
  readonly answered?: Answered & { readonly at: number };
}

import {
  ANSWERED_ELSEWHERE,
  type Answered,
  type Confirm,
  type ConfirmAnswer,
  type ConfirmContext,
  isAnswer,
  type Question,
  type ZephEvent,
} from "../../core/event.ts";
import type { LiveSeat } from "../../live/live-server.ts";
import type { QuestionEnd } from "../../live/wire.ts";
import { ANOTHER_PERSON, lacksSecondPerson } from "../../pipeline/ask/four-eyes.ts";

/** How a runtime is seen by other processes of this user. */
export interface LiveOptions {
  /** `chat`, `run`, `schedule`, `mcp`, `acp`. */
  readonly kind: string;
  /** Where the person sits who is asked here: "the terminal". */
  readonly where: string;
  /** A question that nobody here answers waits for an answer from elsewhere. */
  readonly waits?: boolean;
}

/** The side of a runtime that other processes see. */
export interface LiveSide {
  event(event: ZephEvent): void;
  /** The same question, put here and elsewhere at once; the first answer counts. Undefined where nobody is asked at all. */
  beside(confirm: Confirm | undefined): Confirm | undefined;
  close(): Promise<void>;
}

/** Nobody else sees the runtime. */
export const UNSEEN_RUNTIME: LiveSide = { event() {}, beside: (confirm) => confirm, close: async () => {} };

export interface LiveParts {
  readonly folder: string;
  readonly workspace: string;
  readonly log: string;
  redact(text: string): string;
  emit(event: ZephEvent): void;
  /** Who answers here, where the answer does not say. */
  readonly by: string;
  fourEyes(): boolean;
}

/** Opens without being waited for. A socket that cannot be opened is told, and keeps nobody from working. */
export function openLiveSide(options: LiveOptions, parts: LiveParts): LiveSide {
  let seat: LiveSeat | null = null;
  /** What began before anybody could see it, so that it is known then. */
  let early: ZephEvent[] | null = [];
  const opening = openSeat(options, parts).then((opened) => {
    seat = opened;
    for (const event of early ?? []) seat?.event(event);
    early = null;
    return opened;
  });
  return {
    event(event) {
      if (seat) seat.event(event);
      else if (early && early.length < MOST_EARLY && EARLY.includes(event.type)) early.push(event);
    },
    beside(confirm) {
      if (!confirm && !options.waits) return undefined;
      return async (question, context) => {
        const seat = await opening;
        return seat ? raceAnswers(seat, confirm, { question, context, options, parts }) : (confirm?.(question, context) ?? null);
      };
    },
    close: async () => void (await opening)?.leave(),
  };
}

const MOST_EARLY = 200;
const EARLY: readonly ZephEvent["type"][] = ["turn_start", "tool_start", "tool_end"];

async function openSeat({ kind }: LiveOptions, { folder, workspace, log, redact, emit }: LiveParts): Promise<LiveSeat | null> {
  try {
    const { joinLive } = await import("./join-live.ts");
    return await joinLive(folder, { kind, workspace, log, redact });
  } catch (error) {
    emit({ type: "warning", message: `zeph watch cannot see this process: ${(error as Error).message}` });
    return null;
  }
}

interface Race {
  readonly question: Question;
  readonly context: ConfirmContext;
  readonly options: LiveOptions;
  readonly parts: LiveParts;
}

/** The question that loses is closed. What comes after the first answer counts for nothing, and is told so. */
async function raceAnswers(seat: LiveSeat, confirm: Confirm | undefined, race: Race): Promise<ConfirmAnswer> {
  const { question, context, options, parts } = race;
  const waiting = seat.ask(question, (said) => (parts.fourEyes() && lacksSecondPerson(said, question.caller) ? ANOTHER_PERSON : null));
  // A socket alone keeps no process, and here nothing else may.
  const alive = options.waits ? setInterval(() => {}, 3_600_000) : undefined;
  const stop = () => {
    clearInterval(alive);
    waiting.end({});
  };
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  const lost = new AbortController();
  const elsewhere = waiting.answered.then((said) => {
    lost.abort(ANSWERED_ELSEWHERE);
    const { where, ...answered } = said;
    parts.emit({ type: "answered", callId: question.call_id, answer: said.answer, by: said.by, where });
    return answered;
  });
  const here = async (): Promise<ConfirmAnswer> => {
    const answer = confirm ? await confirm(question, { signal: AbortSignal.any([context.signal, lost.signal]) }) : null;
    if (answer === null && options.waits && !context.signal.aborted) return elsewhere;
    return waiting.end(endOf(answer, options, parts)) ? answer : elsewhere;
  };
  try {
    return await Promise.race([elsewhere, here()]);
  } finally {
    // Where a `confirm` threw nobody has ended it yet.
    stop();
    context.signal.removeEventListener("abort", stop);
  }
}

/** Who answered here, for those elsewhere. */
function endOf(answer: ConfirmAnswer, { where }: LiveOptions, { by }: LiveParts): QuestionEnd {
  const said: Answered | null = isAnswer(answer) ? { answer } : isAnswered(answer) ? answer : null;
  return said === null ? {} : { answered: { answer: said.answer, by: said.by ?? by, where } };
}

const isAnswered = (answer: ConfirmAnswer): answer is Answered => typeof answer === "object" && answer !== null && "answer" in answer;

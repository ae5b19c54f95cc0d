import type { Ending, Question, Totals, ZephEvent } from "../../core/event.ts";
import type { Outcome } from "../../core/layer.ts";

/** A call of a run, and how it ended. */
export interface RunCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly outcome: Outcome;
}

/** What became of a run. */
export interface RunResult<Output = undefined> {
  /** What the model said last: its answer, where `why` is `answered`. */
  readonly text: string;
  /** The answer as the run's `schema` made it; undefined without one, and where `why` is not `answered`. */
  readonly output: Output | undefined;
  readonly why: Ending;
  /** What happened and what to do, where there is something to say. */
  readonly message?: string;
  readonly totals: Totals;
  /** The calls in the order they ended. Where their `media` are more than 64 MiB, the oldest calls have none. */
  readonly calls: readonly RunCall[];
  /** The questions that wait for an answer, where `why` is `waiting`. */
  readonly questions: readonly Question[];
  readonly conversation: string;
}

/** Reads a turn to its end. What a retry discarded is not part of the text. */
export async function collectRun(events: AsyncIterable<ZephEvent>): Promise<Omit<RunResult, "output">> {
  let text = "";
  /** A call ends an answer: the next text begins another. */
  let isWhole = false;
  let conversation = "";
  const calls: RunCall[] = [];
  const asked = new Map<string, Question>();
  for await (const event of events) {
    if (event.type === "turn_start") conversation = event.conversation;
    if (event.type === "text") {
      text = isWhole ? event.text : text + event.text;
      isWhole = false;
    }
    if (event.type === "retry") text = text.slice(0, text.length - (event.discardedChars ?? 0));
    if (event.type === "tool_start") isWhole = true;
    if (event.type === "question") {
      const { type: _type, ...question } = event;
      asked.set(question.call_id, question);
    }
    if (event.type === "tool_end") {
      const { request, outcome } = event;
      calls.push({ callId: request.id, tool: request.name, args: request.args, outcome });
      if (outcome.output?.media) boundMedia(calls);
      if (outcome.ok || !outcome.waiting) asked.delete(request.id);
    }
    if (event.type === "done") {
      const { why, message, totals } = event;
      return { text, why, ...(message !== undefined && { message }), totals, calls, questions: [...asked.values()], conversation };
    }
  }
  throw new Error("The run ended without a word about how. This agent may have been closed.");
}

const MOST_MEDIA_BYTES = 64 * 1024 * 1024;

/** Of a run that gathers images, the oldest calls lose theirs. The text still names them. */
function boundMedia(calls: RunCall[]): void {
  let bytes = 0;
  for (let at = calls.length - 1; at >= 0; at--) {
    const { outcome } = calls[at]!;
    const { media, ...output } = outcome.output ?? {};
    bytes += (media ?? []).reduce((sum, one) => sum + one.bytes, 0);
    if (media && bytes > MOST_MEDIA_BYTES) calls[at] = { ...calls[at]!, outcome: { ...outcome, output } as Outcome };
  }
}

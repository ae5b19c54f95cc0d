import { ModelError } from "../../core/model-error.ts";
import type { Finish, ModelEvent, Usage } from "../../core/ports/model.ts";

/** Text and arguments of one answer. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** How an answer ended, in the protocol's own words. */
export interface AnswerEnd {
  readonly finish: Finish;
  readonly usage?: Usage;
}

/** What is heard of one answer. Requests, and what comes behind them, wait until the answer is known to be whole. */
export function createAnswer() {
  const held: ModelEvent[] = [];
  let size = 0;
  return {
    /** Pieces of text and of arguments, which must not grow without end. */
    grow(text: string): void {
      size += text.length;
      if (size > MOST_CHARACTERS)
        throw new ModelError(
          "runaway",
          "The answer is longer than 8 MiB; the model does not stop. Set max_output_tokens, or use another model.",
        );
    },
    /** What can be told at once. */
    say(event: ModelEvent): readonly ModelEvent[] {
      if (held.length === 0 && event.type !== "request") return [event];
      held.push(event);
      return [];
    },
    /** What waited, and the end. */
    finish({ finish, usage }: AnswerEnd): readonly ModelEvent[] {
      const events = finish === "length" ? withLastCut(held) : held;
      const asks = events.some(({ type }) => type === "request");
      return [...events, { type: "end", finish: finish === "stop" && asks ? "calls" : finish, ...(usage && { usage }) }];
    },
  };
}

/** An answer that ran out of room ended in the middle of its last part. Half a request can look whole. */
function withLastCut(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const last = events.at(-1);
  if (last?.type !== "request") return events;
  const problem = "the answer ran out of room in the middle of the arguments. Ask for less at once, for example by writing a file in parts";
  return [...events.slice(0, -1), { ...last, request: { ...last.request, problem } }];
}

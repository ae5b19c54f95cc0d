import { ANSWERS, type Answered, type Confirm, isAnswer, type Question, type Unasked, type ZephEvent } from "../../core/event.ts";
import { attempt } from "../../text/attempt.ts";
import { bounded, visible } from "../../text/visible.ts";

/** Puts one question. Null when there is no answer. A `confirm` that fails, or says what is no answer, is told in words. */
export async function putQuestion(
  confirm: Confirm,
  question: Question,
  signal: AbortSignal,
  emit: (event: ZephEvent) => void,
): Promise<Answered | Unasked | "later" | null> {
  if (signal.aborted) return null;
  let stop = () => {};
  const cancelled = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const answer: unknown = await Promise.race([Promise.resolve(question).then((asked) => confirm(asked, { signal })), cancelled]);
    if (answer === null || answer === "later") return answer;
    if (isAnswer(answer)) return { answer };
    if (isUnasked(answer) || isAnswered(answer)) return answer;
    const unasked = `confirm answered ${shown(answer)}; that counts as no answer. It must be ${ANSWERS.join(", ")} or later.`;
    emit({ type: "warning", message: unasked });
    return { unasked };
  } catch (error) {
    const unasked = `The question could not be put: ${error instanceof Error ? error.message : String(error)}`;
    emit({ type: "warning", message: unasked });
    return { unasked };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** It may be of any length, and nothing that JSON knows. */
const shown = (answer: unknown): string =>
  bounded(visible(attempt(() => JSON.stringify(answer), undefined) ?? (answer === undefined ? "nothing" : `a ${typeof answer}`)), 200);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
const isText = (value: unknown): boolean => value === undefined || typeof value === "string";

const isUnasked = (value: unknown): value is Unasked => isObject(value) && typeof value.unasked === "string";

export const isAnswered = (value: unknown): value is Answered =>
  isObject(value) && isAnswer(value.answer) && isText(value.by) && isText(value.reason);

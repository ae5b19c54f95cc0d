import type { Question } from "../../../core/event.ts";
import type { LiveQuestion } from "../watch-sources.ts";

/** What comes live was not stored yet, so secrets are taken out of it here. Its ids stay as they are: an answer names them. */
export function redactQuestion(live: LiveQuestion, redact: (text: string) => string): LiveQuestion {
  const { title, question } = live;
  return {
    ...live,
    ...(title !== undefined && { title: redact(title) }),
    question: { ...(redactEvery(question, redact) as Question), call_id: question.call_id },
  };
}

/** Every text in a value, also the names of its fields. */
function redactEvery(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => redactEvery(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), redactEvery(one, redact)]));
}

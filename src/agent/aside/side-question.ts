import type { Model, Usage } from "../../core/ports/model.ts";
import type { Tracing } from "../../core/ports/span.ts";
import { untilStopped } from "../answer.ts";
import { traceChat, usageAttributes } from "../attributes.ts";
import { promptContent } from "../message-content.ts";

export interface SideQuestionParts {
  readonly model: Model;
  readonly tracing: Tracing;
  /** Told what it cost; null when the provider does not say. */
  readonly used: (usage: Usage | null) => void;
}

export interface SideQuestion {
  readonly system: string;
  readonly text: string;
}

/** Longer answers are cut: nobody asked for them. */
const MOST_CHARACTERS = 100_000;

/** One answer in words, without tools: for work of our own beside the conversation. */
export function askSideQuestion(
  { model, tracing, used }: SideQuestionParts,
  { system, text }: SideQuestion,
  signal: AbortSignal,
): Promise<string> {
  return traceChat(tracing, model, {}, async (span) => {
    let answer = "";
    const prompt = { system, tools: [], messages: [{ role: "user", text }] } as const;
    for await (const event of untilStopped(model.stream(prompt, signal), signal)) {
      if (event.type === "text") answer += event.text;
      if (event.type === "end") {
        used(event.usage ?? null);
        if (event.usage) span.set(usageAttributes(event.usage));
      }
      if (answer.length > MOST_CHARACTERS) break;
    }
    span.content(() => ({
      ...promptContent(prompt),
      "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: answer }] }],
    }));
    return answer;
  });
}

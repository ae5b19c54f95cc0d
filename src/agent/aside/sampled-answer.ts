import { leaveOutMedia } from "../../core/media/left-out-media.ts";
import type { Sampled, SampleWish } from "../../core/ports/mcp/sampling.ts";
import type { Usage } from "../../core/ports/model.ts";
import { untilStopped } from "../answer.ts";
import { traceChat, usageAttributes } from "../attributes.ts";
import { promptContent } from "../message-content.ts";
import { estimateTokens, weighMessages } from "../messages.ts";
import type { SideQuestionParts } from "./side-question.ts";

/** One answer for somebody else, without tools. It ends where the wish says, whatever the model would go on with. */
export function answerSample(
  { model, tracing, used }: SideQuestionParts,
  { system, messages, maxTokens, stop }: SampleWish,
  signal: AbortSignal,
): Promise<Sampled> {
  return traceChat(tracing, model, {}, async (span) => {
    const prompt = { system, tools: [], messages: leaveOutMedia(messages, model), maxOutputTokens: maxTokens };
    let said = "";
    let thought = "";
    let counted: Usage | null = null;
    let why: Sampled["why"] = "end";
    // As much as came, also behind a word that ends the answer.
    let heard = "";
    const written = () => estimateTokens(heard) + estimateTokens(thought);
    const estimated = (): Usage => ({
      input: Math.round(estimateTokens(system) + weighMessages(messages)),
      cacheRead: 0,
      cacheWrite: 0,
      output: written(),
    });
    try {
      for await (const event of untilStopped(model.stream(prompt, signal), signal)) {
        if (event.type === "text") {
          said += event.text;
          heard = said;
        }
        if (event.type === "thinking") thought += event.text;
        if (event.type === "end") {
          counted = event.usage ?? null;
          if (event.finish === "length") why = "length";
        }
        const at = firstOf(said, stop);
        if (at !== -1) {
          said = said.slice(0, at);
          why = "stop";
          break;
        }
        // No token is shorter than a character. Thinking is paid for like words.
        if (said.length + thought.length > maxTokens && written() > maxTokens) {
          why = "length";
          break;
        }
      }
    } finally {
      // What was sent costs, also when the answer was left in the middle.
      const usage = counted ?? estimated();
      used(usage);
      span.set(usageAttributes(usage));
    }
    span.content(() => ({
      ...promptContent(prompt),
      "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: said }] }],
    }));
    return { text: said, model: model.id, why, usage: counted ?? estimated() };
  });
}

/** Where the first of these begins in a text; -1 where none does. */
const firstOf = (text: string, wanted: readonly string[]): number => {
  const found = wanted.map((one) => text.indexOf(one)).filter((at) => at !== -1);
  return found.length === 0 ? -1 : Math.min(...found);
};

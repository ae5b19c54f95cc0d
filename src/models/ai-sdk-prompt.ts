import type { LanguageModelV3FunctionTool, LanguageModelV3Message, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { leaveOutMedia } from "../core/media/left-out-media.ts";
import type { MessagePart, Prompt, ToolSpec } from "../core/ports/model.ts";
import { callId, exchangesOf, type PartOf, plainName, sentArguments } from "./wire/conversation.ts";

/** A prompt as the AI SDK takes it. `own` is the id of the model. */
export function sdkPrompt({ system, messages }: Pick<Prompt, "system" | "messages">, own: string): LanguageModelV3Message[] {
  const prompt: LanguageModelV3Message[] = system.trim() === "" ? [] : [{ role: "system", content: system.toWellFormed() }];
  for (const { parts, calls, isOwn, said } of exchangesOf(leaveOutMedia(messages, {}), own)) {
    if (parts.length > 0) prompt.push({ role: "assistant", content: parts.map((part) => answerPart(part, isOwn)) });
    if (calls.length > 0)
      prompt.push({
        role: "tool",
        content: calls.map(({ request, result: { text, failed } }) => ({
          type: "tool-result",
          ...named(request, isOwn),
          output: { type: failed ? "error-text" : "text", value: text.toWellFormed() },
        })),
      });
    for (const { text } of said) prompt.push({ role: "user", content: [{ type: "text", text: text.toWellFormed() }] });
  }
  return prompt;
}

export const sdkTools = (tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] =>
  // Without its last word OpenAI's package takes schemas for strict ones, and most would be refused.
  tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: parameters as object,
    strict: false,
  }));

type AnswerPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

function answerPart(part: MessagePart, isOwn: boolean): AnswerPart {
  const back = isOwn && part.meta ? { providerOptions: part.meta as SharedV3ProviderOptions } : {};
  if (part.type === "text") return { type: "text", text: part.text.toWellFormed(), ...back };
  // Signatures are over the exact text, so a thought goes back as it came.
  if (part.type === "thinking") return { type: "reasoning", text: part.text, ...back };
  return { type: "tool-call", ...named(part, isOwn), input: sentArguments(part.args), ...back };
}

function named(request: PartOf<"request">, isOwn: boolean) {
  const name = plainName(request.name);
  // Packages look names up in a plain object, which has these from birth.
  return { toolCallId: callId(request, isOwn), toolName: name in Object.prototype ? `${name}_` : name };
}

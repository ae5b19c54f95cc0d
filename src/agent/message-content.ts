import type { Message, Prompt } from "../core/ports/model.ts";
import type { ModelAnswer } from "./answer.ts";
import { FINISH_REASONS } from "./attributes.ts";

/** What is new in a request, in the form that the GenAI conventions have for it: the messages before are in the spans before. */
export function promptContent({ system, messages }: Pick<Prompt, "system" | "messages">): Readonly<Record<string, unknown>> {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    "gen_ai.system_instructions": [{ type: "text", content: system }],
    "gen_ai.input.messages": messages.slice(last + 1).map(messageContent),
  };
}

/** What the model said and whom it called. What it thought is told to nobody; arguments are in the spans of the calls, where thoughts are taken out of them. */
export const answerContent = ({ said, finish }: Pick<ModelAnswer, "said" | "finish">): Readonly<Record<string, unknown>> => ({
  "gen_ai.output.messages": [
    {
      role: "assistant",
      parts: said.flatMap((part): object[] => {
        if (part.type === "text") return [{ type: "text", content: part.text }];
        return part.type === "request" ? [{ type: "tool_call", id: part.request.id, name: part.request.name }] : [];
      }),
      finish_reason: FINISH_REASONS[finish],
    },
  ],
});

function messageContent(message: Message): object {
  if (message.role === "tool") return { role: "tool", parts: [{ type: "tool_call_response", id: message.id, response: message.text }] };
  if (message.role === "user") return { role: "user", parts: [{ type: "text", content: message.text }] };
  const said = message.parts.filter(({ type }) => type === "text");
  return { role: "assistant", parts: said.map((part) => ({ type: "text", content: "text" in part ? part.text : "" })) };
}

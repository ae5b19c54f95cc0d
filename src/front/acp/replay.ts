import { randomUUID } from "node:crypto";
import type { Question } from "../../core/event.ts";
import type { Message } from "../../core/ports/model.ts";
import { howToAnswerLater } from "../../question/flags.ts";
import { visible } from "../../text/visible.ts";
import type { NamedCall } from "./call-titles.ts";
import { aboutCall, mediaContent, resultText, textContent } from "./calls.ts";
import { editContent } from "./diffs.ts";
import { redactCall } from "./redact-call.ts";
import type { Wire } from "./wire.ts";

/** Shows a conversation again, as it was stored. */
export async function replayConversation(
  wire: Wire,
  { history, waiting }: { readonly history: AsyncIterable<Message>; readonly waiting: readonly Question[] },
  cwd: string,
  redact: (text: string) => string,
): Promise<void> {
  /** Calls whose result has not come yet, by their id on the wire. */
  const open = new Map<string, { readonly callId: string; readonly asked: NamedCall }>();
  for await (const message of history) {
    const messageId = randomUUID();
    if (message.role === "user") {
      // What the loop or a background command said was never the person's.
      if (message.from === undefined)
        await wire.update({ sessionUpdate: "user_message_chunk", messageId, content: { type: "text", text: message.text } });
      continue;
    }
    if (message.role === "tool") {
      const call = open.get(message.id);
      open.delete(message.id);
      if (!call) continue;
      await wire.update({
        sessionUpdate: "tool_call_update",
        toolCallId: call.callId,
        status: message.failed ? "failed" : "completed",
        content: [
          ...(message.failed
            ? [textContent(visible(message.text))]
            : [...editContent(call.asked, cwd), textContent(resultText(message.text, call.asked.name))]),
          ...mediaContent(message.media),
        ],
      });
      continue;
    }
    for (const part of message.parts) {
      if (part.type === "request") {
        const asked = redactCall(part, redact);
        open.set(part.id, { callId: part.callId, asked });
        await wire.update({ sessionUpdate: "tool_call", ...aboutCall(part.callId, asked, cwd), status: "in_progress" });
      } else if (part.text !== "") {
        const sessionUpdate = part.type === "text" ? ("agent_message_chunk" as const) : ("agent_thought_chunk" as const);
        await wire.update({ sessionUpdate, messageId, content: { type: "text", text: part.text } });
      }
    }
  }
  for (const { callId: toolCallId } of open.values()) {
    const question = waiting.find(({ call_id }) => call_id === toolCallId);
    const content = question && [textContent(howToAnswerLater(question))];
    // The process was ended in the middle of the others.
    await wire.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: content ? "pending" : "failed",
      ...(content && { content }),
    });
  }
}

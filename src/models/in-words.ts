import { withoutMedia } from "../core/media/left-out-media.ts";
import type { Message, MessageImage, MessagePart } from "../core/ports/model.ts";

/** A conversation without any call in the protocol: requests as fenced blocks of the answer, results as the person's words. */
export function messagesInWords(messages: readonly Message[]): Message[] {
  const names = new Map<string, string>();
  for (const message of messages)
    if (message.role === "assistant") for (const part of message.parts) if (part.type === "request") names.set(part.id, part.name);
  return inTurns(
    messages.map((message): Message => {
      if (message.role === "tool") return resultInWords(message, names.get(message.id) ?? "a call");
      return message.role === "user" ? message : { ...message, parts: partsInWords(message.parts) };
    }),
  );
}

/** Recordings go with calls only. */
function resultInWords(message: Extract<Message, { role: "tool" }>, name: string): Message {
  const { text, media } = withoutMedia(message, (kind) => kind === "audio", ": only a result holds such") as typeof message;
  const images = media?.map(({ mediaType, data }) => ({ mediaType: mediaType as MessageImage["mediaType"], data }));
  return { role: "user", text: `[result of ${name}]\n${text}`, ...(images && { images }) };
}

/** An answer that asked with fences has them in its text. One with calls in the protocol came from another time or model. */
function partsInWords(parts: readonly MessagePart[]): MessagePart[] {
  const isFenced = parts.some((part) => part.type === "text" && /```|~~~/.test(part.text));
  return parts.flatMap((part): MessagePart[] => {
    if (part.type !== "request") return [part];
    return isFenced ? [] : [{ type: "text", text: `\n\`\`\`${part.name}\n${JSON.stringify(part.args)}\n\`\`\`\n` }];
  });
}

/** Many small models take a conversation only when both sides speak in turns. */
function inTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    if (message.role === "assistant" && message.parts.length === 0) continue;
    const last = turns.at(-1);
    if (message.role === "user" && last?.role === "user")
      turns[turns.length - 1] = {
        role: "user",
        text: `${last.text}\n\n${message.text}`,
        ...((last.images || message.images) && { images: [...(last.images ?? []), ...(message.images ?? [])] }),
      };
    else turns.push(message);
  }
  return turns;
}

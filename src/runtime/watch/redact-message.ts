import type { Message } from "../../core/ports/model.ts";
import { mapTexts } from "../../mcp/client/trust/secrets.ts";

/** A message without secrets. What a person or a model wrote is stored as it was sent, and answers of calls without them. Ids lead to calls, and stay. */
export function redactMessage(message: Message, redact: (text: string) => string): Message {
  if (message.role !== "assistant") return { ...message, text: redact(message.text) };
  const parts = message.parts.map((part) =>
    part.type === "request" ? { ...part, args: mapTexts(part.args, redact) as object } : { ...part, text: redact(part.text) },
  );
  return { ...message, parts };
}

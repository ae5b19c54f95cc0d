import type { Message } from "../core/model.ts";
import { bounded } from "./knowledge.ts";
import { estimateTokens } from "./messages.ts";

/** How much of a tool's result is retold, from what is usual down to what is left when there is no room. */
const RESULT_STEPS = [2_000, 400, 0] as const;
const MOST_SAID = 8_000;
const MOST_ARGUMENTS = 600;
/** A cautious guess of how few characters a token may have. */
const CHARACTERS_PER_TOKEN = 2;

/** Messages as a text for a model that summarises them, in so many tokens. Where there is too little room, the results of the oldest calls go first. */
export function retell(messages: readonly Message[], room: number): string {
  const step: number[] = messages.map(() => 0);
  const pieces = messages.map((message) => piece(message, RESULT_STEPS[0]));
  let weight = pieces.reduce((sum, text) => sum + estimateTokens(text), 0);
  for (let to = 1; to < RESULT_STEPS.length; to++)
    for (let at = 0; at < messages.length && weight > room; at++) {
      if (messages[at]!.role !== "tool" || step[at]! >= to) continue;
      const short = piece(messages[at]!, RESULT_STEPS[to]!);
      weight -= estimateTokens(pieces[at]!) - estimateTokens(short);
      pieces[at] = short;
      step[at] = to;
    }
  const text = pieces.join("\n\n");
  return weight > room ? bounded(text, Math.max(0, Math.floor(room * CHARACTERS_PER_TOKEN))) : text;
}

function piece(message: Message, mostOfResult: number): string {
  if (message.role === "user") return `<${message.from ?? "user"}>\n${bounded(message.text, MOST_SAID)}`;
  if (message.role === "tool") {
    const how = message.failed ? "failed result" : "result";
    return mostOfResult === 0
      ? `<${how}>\n[${message.text.length} characters left out]`
      : `<${how}>\n${bounded(message.text, mostOfResult)}`;
  }
  const lines = message.parts.flatMap((part) => {
    if (part.type === "text") return [bounded(part.text, MOST_SAID)];
    return part.type === "request" ? [`<call> ${part.name} ${bounded(JSON.stringify(part.args), MOST_ARGUMENTS)}`] : [];
  });
  return `<assistant>\n${lines.join("\n")}`;
}

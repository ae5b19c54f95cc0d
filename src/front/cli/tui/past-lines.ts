import type { Message } from "../../../core/ports/model.ts";
import type { Theme } from "./theme.ts";
import { createMarkdownStream } from "./view/markdown/stream.ts";
import { messageLines, noteLines } from "./view/notices.ts";

/** So many of the person's messages of a conversation that goes on are shown again, with what was said to them. */
const MOST_MESSAGES = 3;
const LONGEST_ANSWER = 4000;

/** The end of a conversation that is continued: its text, without the calls. */
export function pastLines(history: readonly Message[], width: number, theme: Theme): string[] {
  const own = history.flatMap((message, n) => (message.role === "user" && message.from === undefined ? [n] : []));
  const first = own.at(-MOST_MESSAGES) ?? 0;
  const before = own.filter((n) => n < first).length;
  const lines = noteLines(before > 0 ? `continued; ${before} earlier messages are not shown again` : "continued", width, theme);
  for (const message of history.slice(first)) {
    if (message.role === "user" && message.from === undefined) lines.push("", ...messageLines(message.text, width, theme), "");
    if (message.role === "assistant") lines.push(...spokenLines(message, width, theme));
  }
  return lines;
}

function spokenLines(message: Extract<Message, { role: "assistant" }>, width: number, theme: Theme): string[] {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text.trim() === "") return [];
  const stream = createMarkdownStream(width - 1, theme);
  return [...stream.push(text.slice(0, LONGEST_ANSWER)), ...stream.end()].map((line) => (line === "" ? "" : ` ${line}`));
}

import type { Invocation } from "../program/invocation.ts";
import { endQuietlyWhenUnread } from "../stop.ts";
import { type ChatPrompt, openChatPrompt } from "./prompt.ts";

/**
 * `zeph` at a terminal: a conversation with a model. Without a model it is the tool console.
 * The prompt comes first, and somebody may type while everything else is read: imports of more than the keyboard belong into conversation.ts.
 */
export async function chat(given: Invocation, prompt: ChatPrompt | null): Promise<number> {
  // Whoever opened it early told only its own copy of us.
  if (prompt) endQuietlyWhenUnread(given.terminal.stdin);
  const { keyboard, options } = prompt ?? (await openChatPrompt(given.terminal));
  try {
    const { converse } = await import("./conversation.ts");
    return await converse(given, keyboard, options);
  } finally {
    // Whatever is told now begins on a line of its own.
    keyboard.withdraw();
    keyboard.close();
  }
}

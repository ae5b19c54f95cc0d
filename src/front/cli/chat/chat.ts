import type { Invocation } from "../program/invocation.ts";
import { endQuietlyWhenUnread } from "../stop.ts";
import { type ChatPrompt, canDraw, type LinePrompt, openLinePrompt } from "./prompt.ts";

/**
 * `zeph` at a terminal: a conversation with a model. Without a model it is the tool console.
 * The prompt comes first, and somebody may type while everything else is read: imports of more than the keyboard belong into conversation.ts.
 */
export async function chat(given: Invocation, prompt: ChatPrompt | null): Promise<number> {
  // Whoever opened it early told only its own copy of us.
  if (prompt) endQuietlyWhenUnread(given.terminal.stdin);
  if (prompt && "keyboard" in prompt) return chatInLines(given, prompt);
  if (given.flags.plain || !canDraw(given.terminal)) return chatInLines(given, null);
  const { chatOnScreen } = await import("../tui/chat.ts");
  const code = await chatOnScreen(given, prompt?.screen ?? null);
  if (code === "in lines") return chatInLines(given, null);
  return code === "no model" ? chatInLines(given, null, () => chat(given, null)) : code;
}

async function chatInLines(given: Invocation, prompt: LinePrompt | null, onScreen?: () => Promise<number>): Promise<number> {
  const { keyboard, options } = prompt ?? (await openLinePrompt(given.terminal));
  try {
    const { converse } = await import("./conversation.ts");
    return await converse(given, keyboard, options, onScreen);
  } finally {
    // Whatever is told now begins on a line of its own.
    keyboard.withdraw();
    keyboard.close();
  }
}

import type { Invocation } from "../program/invocation.ts";
import { createInputHistory, historyFile } from "../terminal/history.ts";
import { type KeyboardOptions, openKeyboard } from "../terminal/keyboard.ts";
import { canErase } from "../terminal/terminal.ts";

/**
 * `zeph` at a terminal: a conversation with a model. Without a model it is the tool console.
 * The prompt comes first, and somebody may type while everything else is read: imports of more than the keyboard belong into conversation.ts.
 */
export async function chat(given: Invocation): Promise<number> {
  const { terminal } = given;
  const options: KeyboardOptions = {
    prompt: "you> ",
    completer: (line) => [[], line],
    pasted: "together",
    history: createInputHistory(historyFile("history")),
  };
  const keyboard = await openKeyboard(terminal, options);
  // What cannot be taken away again is not shown early.
  if (canErase(terminal.stdout)) keyboard.invite();
  try {
    const { converse } = await import("./conversation.ts");
    return await converse(given, keyboard, options);
  } finally {
    // Whatever is told now begins on a line of its own.
    keyboard.withdraw();
    keyboard.close();
  }
}

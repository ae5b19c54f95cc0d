import { createInputHistory, historyFile } from "../terminal/history.ts";
import { type Keyboard, type KeyboardOptions, openKeyboard } from "../terminal/keyboard.ts";
import { canErase, createTerminal, type Terminal } from "../terminal/terminal.ts";

/** The keyboard of a chat, whose prompt stands on the screen already. */
export interface ChatPrompt {
  readonly keyboard: Keyboard;
  readonly options: KeyboardOptions;
}

export async function openChatPrompt(terminal: Terminal): Promise<ChatPrompt> {
  const options: KeyboardOptions = {
    prompt: "you> ",
    completer: (line) => [[], line],
    pasted: "together",
    history: createInputHistory(historyFile("history")),
  };
  const keyboard = await openKeyboard(terminal, options);
  // What cannot be taken away again is not shown early.
  if (canErase(terminal.stdout)) keyboard.invite();
  return { keyboard, options };
}

/**
 * The prompt of `zeph` without a word behind it, before anything else of Zeph is read: this module is a bundle of its own (scripts/build.mjs), so
 * whatever it imports is there twice. Null where nobody sits at a terminal.
 */
export async function openFirstPrompt(): Promise<ChatPrompt | null> {
  const terminal = createTerminal("colour");
  return terminal.attended && terminal.stdout.isTTY ? openChatPrompt(terminal) : null;
}

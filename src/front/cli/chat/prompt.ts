import { homedir } from "node:os";
import { userConfigPath } from "../../../config/paths.ts";
import { readOwnText } from "../../../files/own-file.ts";
import { createInputHistory, historyFile } from "../terminal/history.ts";
import { type Keyboard, type KeyboardOptions, openKeyboard } from "../terminal/keyboard.ts";
import { canErase, createTerminal, type Terminal } from "../terminal/terminal.ts";
import { type ChatScreen, openChatScreen } from "../tui/chat-screen.ts";

/** The keyboard of a chat line by line, whose prompt stands on the screen already. */
export interface LinePrompt {
  readonly keyboard: Keyboard;
  readonly options: KeyboardOptions;
}

/** Where somebody can type already: line by line, or on a screen. */
export type ChatPrompt = LinePrompt | { readonly screen: ChatScreen };

export async function openLinePrompt(terminal: Terminal): Promise<LinePrompt> {
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

/** Whether a screen can be drawn here: everything is a terminal, and it can move its cursor. */
export const canDraw = ({ stdin, stdout, stderr }: Terminal): boolean =>
  stdin.isTTY === true && stderr.isTTY === true && canErase(stdout) && (process.env.TERM ?? "") !== "";

/**
 * The prompt of `zeph` without a word behind it, before anything else of Zeph is read: this module is a bundle of its own (scripts/build.mjs), so
 * whatever it imports is there twice. Null where nobody sits at a terminal, or where the configuration has to be asked how to draw.
 */
export async function openFirstPrompt(argv: readonly string[] = []): Promise<ChatPrompt | null> {
  const terminal = createTerminal("colour");
  if (!terminal.attended || !terminal.stdout.isTTY) return null;
  if (argv.includes("--plain") || process.env.ZEPH_UI_SCREEN === "plain" || !canDraw(terminal)) return openLinePrompt(terminal);
  return mayBePlain() ? null : { screen: openChatScreen(terminal) };
}

const MOST_SETTINGS = 1024 * 1024;

/** The person's own file may say `screen = "plain"`. It is read here by its looks alone: a schema would take longer than the prompt may. */
function mayBePlain(): boolean {
  const file = userConfigPath({ home: homedir(), env: process.env });
  return /\bscreen\b/.test(readOwnText(file, { maxBytes: MOST_SETTINGS }) ?? "");
}

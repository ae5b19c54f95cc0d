import type { Interface } from "node:readline/promises";
import { MOST_TYPED } from "./history.ts";
import { createKeys, type Keys } from "./keys.ts";
import { pastedText } from "./paste.ts";
import { createScreenOutput } from "./screen-output.ts";
import { createHistorySearch } from "./search.ts";
import { canErase, prose, type Terminal } from "./terminal.ts";

/** The line somebody edits: readline, and what it lacks. */
export interface LineEditor {
  readonly rl: Interface;
  readonly keys: Keys;
  /** The prompt is on the screen, and so is each key. */
  isShown(): boolean;
  /** The prompt and the line, on a line of the screen of their own. */
  show(): void;
  /** From now on nothing that is typed is on the screen; what is there stays. */
  hide(): void;
  /** Takes the prompt and the line from the screen. */
  withdraw(): void;
  set(line: string): void;
  /** Sets the entries of the up key, newest first. */
  recall(lines: readonly string[]): void;
  /** When the first key of what stands in the line was pressed. */
  began(): number;
  /** As if that had been now. */
  touch(): void;
  end(): void;
}

export interface LineEditorOptions {
  prompt(): string;
  completer(line: string): Completion | Promise<Completion>;
  /** A question is on the screen, not the prompt. */
  isAsking(): boolean;
  /** Ctrl-D at a question: it stays unanswered, and nothing else ends. */
  unanswered(): void;
  /** A private question is open: Escape leaves it unanswered too. */
  isPrivate(): boolean;
  /** Nothing of what is typed now may be on the screen. */
  isHidden(): boolean;
  /** The words for the line in place of a pasted text; null when each of its lines is typed for itself. */
  pasted(text: string): string | null;
}
export type Completion = [string[], string];

const TOO_MUCH = "That is more than can be pasted here. Put it into a file and name the file.";
const CTRL_D = "\u0004";
const ESCAPE = "\u001b";
const PASTES_ON = "\u001b[?2004h";
const PASTES_OFF = "\u001b[?2004l";
const ERASE = "\r\u001b[J";

export async function openLineEditor(
  { stdin, stdout, stderr }: Terminal,
  { prompt, completer, isAsking, unanswered, isPrivate, isHidden, pasted }: LineEditorOptions,
): Promise<LineEditor> {
  const { createInterface } = await import("node:readline/promises");
  const erases = canErase(stdout);
  let isShown = false;
  let isEnded = false;
  let began = 0;
  const isDrawn = () => (isShown || isAsking()) && !isHidden();
  const keys = createKeys(stdin, {
    paste(raw) {
      const text = pasted(pastedText(raw));
      if (text === null) keys.type(raw.replace(/\r?\n/g, "\r"));
      else insert(text);
    },
    tooMuch() {
      stderr.write(`\n${prose(TOO_MUCH, stderr)}\n`);
      if (!isDrawn()) return;
      inner.prevRows = 0;
      rl.prompt(true);
    },
    lineBreak: () => (isAsking() || pasted("") === null ? keys.type("\r") : insert("\n")),
    keys(text) {
      if (rl.line === "") began = performance.now();
      if (isAsking()) return answering(text);
      return erases && isShown ? search.keys(text) : text;
    },
  });
  /** Readline would close at Ctrl-D, and with it everything else that is typed. */
  const answering = (text: string): string => {
    if (rl.line === "" && text.startsWith(CTRL_D)) unanswered();
    if (isPrivate() && text === ESCAPE) unanswered();
    return text.replaceAll(CTRL_D, "");
  };
  const rl = createInterface({
    input: keys,
    output: createScreenOutput(stdout, isDrawn),
    terminal: true,
    completer: async (line: string) => offered(await completer(line)),
    history: [],
    historySize: MOST_TYPED + 1,
  });
  /** Fields of readline that no call of it changes. `prevRows`: how far the cursor is below the prompt. */
  const inner = rl as unknown as { line: string; cursor: number; history: string[]; prevRows: number };
  const set = (line: string) => {
    inner.line = line;
    inner.cursor = line.length;
  };
  const insert = (text: string) => {
    inner.line = inner.line.slice(0, inner.cursor) + text + inner.line.slice(inner.cursor);
    inner.cursor += text.length;
    if (isDrawn()) rl.prompt(true);
  };
  const draw = (shown: string) => {
    rl.setPrompt(shown);
    rl.prompt(true);
  };
  const search = createHistorySearch({
    entries: () => inner.history,
    line: () => inner.line,
    show(shown, line) {
      set(line);
      draw(shown ?? prompt());
    },
  });
  const markPastes = (mark: string) => void (erases && stdout.write(mark));
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    isShown = false;
    markPastes(PASTES_OFF);
    stdin.pause();
  };
  markPastes(PASTES_ON);
  process.once("exit", end);
  return {
    rl,
    keys,
    set,
    end,
    isShown: () => isShown,
    show() {
      isShown = true;
      inner.prevRows = 0;
      draw(prompt());
    },
    hide() {
      isShown = false;
    },
    withdraw() {
      const { rows } = rl.getCursorPos();
      const up = rows > 0 ? `\u001b[${rows}A` : "";
      if (isShown) stdout.write(erases ? up + ERASE : "\n");
      isShown = false;
    },
    recall: (lines) => void inner.history.splice(0, inner.history.length, ...lines),
    began: () => began,
    touch() {
      began = performance.now();
    },
  };
}

/** A word that is complete already needs no list of one. */
const offered = ([choices, word]: Completion): Completion => [choices.length === 1 && choices[0] === word ? [] : choices, word];

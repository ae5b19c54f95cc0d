import { createPastes, pastedText } from "../../terminal/paste.ts";
import { createDraftCells } from "./draft-cells.ts";
import type { Key } from "./keys.ts";

/** The text somebody writes: several lines, a cursor by graphemes, and pastes that stand as one word. */
export interface DraftEditor {
  /** As it is on the screen. */
  text(): string;
  /** As it is sent: the words of pastes are what was pasted. */
  whole(): string;
  /** Up to the cursor. */
  before(): string;
  set(text: string): void;
  insert(text: string): void;
  /** Puts a text in place of what stands between there and the cursor. */
  replaceFrom(start: number, text: string): void;
  /** False where it is no key of an editor. */
  key(key: Key): boolean;
  /** Whether the cursor can go up, or down, inside of the text. */
  isFirstLine(): boolean;
  isLastLine(): boolean;
  /** The word for a text that is called back. */
  shown(text: string): string;
  /** Its lines, each at most so wide, and where the cursor stands in them. */
  lay(width: number): LaidDraft;
}
export interface LaidDraft {
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
}

const MOST_UNDONE = 100;

export function createDraftEditor(): DraftEditor {
  const pastes = createPastes();
  const cells = createDraftCells();
  const undone: (readonly [string, number])[] = [];
  let killed = "";
  const kill = (from: number, to: number) => {
    killed = cells.remove(Math.min(from, to), Math.max(from, to)) || killed;
  };
  const moves: Readonly<Record<string, () => void>> = {
    left: () => cells.go(cells.at() - 1),
    right: () => cells.go(cells.at() + 1),
    home: () => cells.go(cells.lineStart()),
    end: () => cells.go(cells.lineEnd()),
    "alt-b": () => cells.go(cells.wordStart()),
    "alt-f": () => cells.go(cells.wordEnd()),
    up: () => cells.goLine(-1),
    down: () => cells.goLine(1),
    "alt-<": () => cells.go(0),
    "alt->": () => cells.go(cells.size()),
  };
  const changes: Readonly<Record<string, (text: string) => void>> = {
    text: (text) => cells.insert(text),
    paste: (text) => cells.insert(pastes.shown(pastedText(text))),
    backspace: () => void cells.remove(cells.at() - 1, cells.at()),
    delete: () => void cells.remove(cells.at(), cells.at() + 1),
    "ctrl-u": () => kill(cells.lineStart(), cells.at()),
    "ctrl-k": () => kill(cells.at(), cells.lineEnd() === cells.at() ? cells.at() + 1 : cells.lineEnd()),
    "ctrl-w": () => kill(cells.wordStart(), cells.at()),
    "alt-d": () => kill(cells.at(), cells.wordEnd()),
    "ctrl-y": () => cells.insert(killed),
    "ctrl-j": () => cells.insert("\n"),
  };
  return {
    text: cells.text,
    whole: () => pastes.whole(cells.text()),
    before: () => cells.slice(0, cells.at()),
    set(text) {
      undone.length = 0;
      cells.set(text);
    },
    insert: (text) => cells.insert(text),
    replaceFrom(start, text) {
      cells.remove(cells.cellAt(start), cells.at());
      cells.insert(text);
    },
    key({ name, text = "" }) {
      const known = SAME[name] ?? name;
      if (known === "ctrl-_") {
        const [before, at] = undone.pop() ?? [cells.text(), cells.at()];
        cells.set(before);
        cells.go(at);
        return true;
      }
      const move = moves[known];
      if (move) move();
      const change = changes[known];
      if (!change) return move !== undefined;
      const before = [cells.text(), cells.at()] as const;
      change(text);
      if (before[0] !== cells.text()) undone.push(before);
      if (undone.length > MOST_UNDONE) undone.shift();
      return true;
    },
    isFirstLine: () => cells.lineStart() === 0,
    isLastLine: () => cells.lineEnd() === cells.size(),
    shown: (text) => pastes.shown(text),
    lay: cells.lay,
  };
}

/** Other keys for the same. */
const SAME: Readonly<Record<string, string>> = {
  "ctrl-b": "left",
  "ctrl-f": "right",
  "ctrl-a": "home",
  "ctrl-e": "end",
  "ctrl-h": "backspace",
  "ctrl-left": "alt-b",
  "alt-left": "alt-b",
  "ctrl-right": "alt-f",
  "alt-right": "alt-f",
  "alt-backspace": "ctrl-w",
  "ctrl-backspace": "ctrl-w",
  "alt-delete": "alt-d",
  "ctrl-delete": "alt-d",
  "alt-enter": "ctrl-j",
  "shift-enter": "ctrl-j",
  "ctrl-enter": "ctrl-j",
  "shift-backspace": "backspace",
};

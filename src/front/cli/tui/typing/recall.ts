import { createHistorySearch } from "../../terminal/search.ts";
import type { DraftEditor } from "./draft-editor.ts";
import type { Key } from "./keys.ts";

/** Calls back what was typed before: Up and Down walk through it, Ctrl-R searches it. */
export interface Recall {
  /** False where the key is none of these. */
  key(key: Key): boolean;
  /** What stands in place of the prompt while a search is under way. */
  label(): string | null;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  "ctrl-r": "\u0012",
  backspace: "\u007f",
  escape: "\u001b",
  "ctrl-c": "\u0003",
  "ctrl-g": "\u0007",
};
/** Ends a search and leaves the line as it is. */
const TAKEN = "\r";

/** `entries`: newest first. */
export function createRecall(draft: DraftEditor, entries: readonly string[]): Recall {
  let back = 0;
  let unsent = "";
  let label: string | null = null;
  const search = createHistorySearch({
    entries: () => entries,
    line: draft.text,
    show(prompt, line) {
      label = prompt;
      draft.set(draft.shown(line));
    },
  });
  const walk = (to: number) => {
    if (back === 0) unsent = draft.text();
    back = to;
    draft.set(back === 0 ? unsent : draft.shown(entries[back - 1]!));
  };
  return {
    label: () => label,
    key(key) {
      if (label !== null || key.name === "ctrl-r") {
        const text = key.name === "text" ? key.text! : CHARACTERS[key.name];
        search.keys(text ?? TAKEN);
        if (text !== undefined) return true;
      }
      // What was called back is sent or cleared: it begins with the newest again.
      if (draft.text() === "") back = 0;
      if (key.name === "up" && draft.isFirstLine()) {
        if (back < entries.length) walk(back + 1);
        return true;
      }
      if (key.name === "down" && draft.isLastLine()) {
        if (back > 0) walk(back - 1);
        return true;
      }
      if (key.name === "enter") back = 0;
      return false;
    },
  };
}

import type { LiveFrame } from "../screen-writer.ts";
import type { Theme } from "../theme.ts";
import { ruleLine } from "../view/shown-text.ts";
import { columnsOfLine, cutLine } from "../width.ts";
import type { DraftEditor } from "./draft-editor.ts";

/** So many lines of what is typed are on the screen, where there is room. */
export const MOST_TYPED_LINES = 8;

export interface InputFacts {
  readonly draft: DraftEditor;
  /** Shown where nothing is typed. */
  readonly hint: string;
  /** In place of the prompt's sign: a search, or what is asked for. */
  readonly label: string | null;
  /** A word on the rule above. */
  readonly note: string;
  /** So many lines of what is typed; absent: as many as usual. */
  readonly most?: number;
}

/** The rule, what is typed below it, and where the cursor stands. */
export function inputLines({ draft, hint, label, note, most = MOST_TYPED_LINES }: InputFacts, width: number, theme: Theme): LiveFrame {
  const sign = label ?? `${theme.signs.prompt} `;
  const indent = Math.min(columnsOfLine(sign), Math.floor(width / 2));
  const laid = draft.lay(Math.max(8, width - indent - 2));
  const top = Math.max(0, Math.min(laid.row - most + 1, laid.lines.length - most));
  const first = Math.max(0, Math.max(top, laid.row - most + 1));
  const shown = laid.lines.slice(first, first + most);
  const isEmpty = laid.lines.length === 1 && laid.lines[0] === "";
  const rows = shown.map((line, n) =>
    n + first > 0
      ? " ".repeat(indent) + line
      : `${label === null ? theme.accent(cutLine(sign, indent)) : theme.dim(cutLine(sign, indent))}${isEmpty ? theme.dim(cutLine(hint, width - indent - 2, theme.signs.cut)) : line}`,
  );
  return { lines: [ruleLine(width - 1, theme, "", note), ...rows], cursor: [1 + laid.row - first, indent + laid.column] };
}

import { visible } from "../../../../text/visible.ts";
import { graphemesOf } from "../../../../text/width/graphemes.ts";
import { columnsOfLine } from "../width.ts";
import type { LaidDraft } from "./draft-editor.ts";

/** A text as graphemes, with a cursor between them. */
export interface DraftCells {
  text(): string;
  size(): number;
  at(): number;
  slice(from: number, to: number): string;
  set(text: string): void;
  go(to: number): void;
  /** One line up or down, in the same column as far as there is one. */
  goLine(by: -1 | 1): void;
  insert(text: string): void;
  /** What was taken away. */
  remove(from: number, to: number): string;
  lineStart(): number;
  lineEnd(): number;
  wordStart(): number;
  wordEnd(): number;
  /** Which cell the character of this index belongs to. */
  cellAt(index: number): number;
  lay(width: number): LaidDraft;
}

const TAB = "    ";

export function createDraftCells(): DraftCells {
  let cells: string[] = [];
  let at = 0;
  const split = (text: string): string[] => [...graphemesOf(text)];
  const bounded = (n: number) => Math.min(cells.length, Math.max(0, n));
  const isBlank = (n: number) => /^\s$/.test(cells[n] ?? " ");
  const lineStart = () => (at === 0 ? 0 : cells.lastIndexOf("\n", at - 1) + 1);
  const endOf = (from: number) => {
    const end = cells.indexOf("\n", from);
    return end === -1 ? cells.length : end;
  };
  /** Two neighbours may be one grapheme now: an accent behind its letter, the parts of a flag. */
  const join = (before: string, after: string) => {
    cells = split(before + after);
    at = 0;
    for (let length = 0; at < cells.length && length < before.length; at++) length += cells[at]!.length;
  };
  return {
    text: () => cells.join(""),
    size: () => cells.length,
    at: () => at,
    slice: (from, to) => cells.slice(from, to).join(""),
    set(text) {
      cells = split(clean(text));
      at = cells.length;
    },
    go(to) {
      at = bounded(to);
    },
    goLine(by) {
      const start = lineStart();
      const column = columnsOfLine(cells.slice(start, at).join(""));
      if (by < 0 ? start === 0 : endOf(at) === cells.length) return;
      let next = by < 0 ? (start < 2 ? 0 : cells.lastIndexOf("\n", start - 2) + 1) : endOf(at) + 1;
      const end = endOf(next);
      for (let used = 0; next < end; next++) {
        used += columnsOfLine(cells[next]!);
        if (used > column) break;
      }
      at = next;
    },
    insert: (text) => join(cells.slice(0, at).join("") + clean(text), cells.slice(at).join("")),
    remove(from, to) {
      const [first, last] = [bounded(from), bounded(to)];
      const gone = cells.slice(first, last).join("");
      join(cells.slice(0, first).join(""), cells.slice(last).join(""));
      return gone;
    },
    lineStart,
    lineEnd: () => endOf(at),
    wordStart() {
      let n = at;
      while (n > 0 && isBlank(n - 1)) n--;
      while (n > 0 && !isBlank(n - 1)) n--;
      return n;
    },
    wordEnd() {
      let n = at;
      while (n < cells.length && isBlank(n)) n++;
      while (n < cells.length && !isBlank(n)) n++;
      return n;
    },
    cellAt(index) {
      let n = 0;
      for (let length = 0; n < cells.length && length < index; n++) length += cells[n]!.length;
      return n;
    },
    lay(width) {
      const lines = [""];
      let used = 0;
      let row = 0;
      let column = 0;
      const mark = () => {
        row = lines.length - 1;
        column = used;
      };
      for (const [n, cell] of cells.entries()) {
        const shown = visible(cell);
        const columns = cell === "\n" ? 0 : columnsOfLine(shown);
        // Also behind the last character of a full line there has to be room for the cursor.
        if (used + columns > width) {
          lines.push("");
          used = 0;
        }
        if (n === at) mark();
        if (cell === "\n") {
          lines.push("");
          used = 0;
        } else {
          lines[lines.length - 1] += shown;
          used += columns;
        }
      }
      if (at === cells.length) mark();
      return { lines, row, column };
    },
  };
}

/** Without control characters. */
const clean = (text: string): string => text.replaceAll("\t", TAB).replace(/[^\P{Cc}\n]/gu, "");

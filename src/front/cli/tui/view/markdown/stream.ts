import { closesFence, drawBlock, drawInline, fenceIn, MARK, PROSE } from "../../../terminal/markdown-block.ts";
import type { Theme } from "../../theme.ts";
import { cutLine, wrapLine } from "../../width.ts";
import { shownText } from "../shown-text.ts";
import { createHighlighter, type Highlighter } from "./highlight.ts";
import { createMarkdownStyle } from "./style.ts";
import { isTableLine } from "./table.ts";
import { createTableLines, type TableLines } from "./table-lines.ts";

/** Markdown that comes in pieces. The pieces do not matter: the same text becomes the same lines. */
export interface MarkdownStream {
  /** Lines that are finished: they come out once and never change. Lines of code are as long as they are; all others fit. */
  push(text: string): string[];
  /** What has come of the rest, for as long as it may still change. Every line fits. */
  tail(): string[];
  /** The text is complete. */
  end(): string[];
}

/** A line longer than this is not waited for; it goes out in pieces. */
const LONGEST = 16 * 1024;
const CODE_INDENT = "  ";

export function createMarkdownStream(width: number, theme: Theme): MarkdownStream {
  const style = createMarkdownStyle(theme);
  let rest = "";
  /** So many lines of the rest are out already. */
  let isOut = 0;
  /** How long the rest was when its lines were last counted. */
  let lookedAt = 0;
  let fence: { readonly sign: string; readonly code: Highlighter } | null = null;
  let table: TableLines | null = null;
  let hasBlank = false;
  let hasBegun = false;

  const code = (text: string): string => CODE_INDENT + text;
  const blockLines = (line: string): string[] => {
    const flat = line.replaceAll("\t", "    ");
    const isIndented = flat.startsWith("    ") && !/^ *(?:[-*+]|\d{1,9}[.)])\s/.test(flat);
    return isIndented ? wrapLine(shownText(flat), width, { hard: true }) : drawBlock(flat, width, style);
  };
  const openTable = () =>
    createTableLines({
      width,
      theme,
      cell: (text) => drawInline(text.replaceAll("\t", " "), style),
      plain: (line) => wrapLine(drawInline(line.replaceAll("\t", "    "), style), width, { hard: true }),
    });
  /** A blank line stands before the next line that is not blank, however many there are. */
  const spaced = (lines: string[]): string[] => {
    if (lines.length === 0) return lines;
    const all = hasBlank && hasBegun ? ["", ...lines] : lines;
    hasBlank = false;
    hasBegun = true;
    return all;
  };
  const endTable = (): string[] => {
    const lines = table?.end() ?? [];
    table = null;
    return spaced(lines);
  };
  const completeLine = (line: string): string[] => {
    const mark = fenceIn(line);
    if (fence) {
      if (!mark || !closesFence(mark, fence.sign)) return spaced([code(fence.code.line(shownText(line)))]);
      fence = null;
      return [];
    }
    if (isTableLine(line)) {
      table ??= openTable();
      return spaced(table.add(line));
    }
    const before = endTable();
    if (mark) {
      fence = { sign: mark.sign, code: createHighlighter(mark.info, theme) };
      return before;
    }
    if (line.trim() === "") {
      hasBlank = true;
      return before;
    }
    const lines = blockLines(line).slice(isOut);
    return [...before, ...(isOut > 0 ? lines : spaced(lines))];
  };
  /** A very long line goes in pieces, wherever it is cut into those that come. */
  const complete = (line: string): string[] => {
    const lines: string[] = [];
    let left = line;
    do {
      const end = pieceEnd(left);
      lines.push(...completeLine(left.slice(0, end)));
      isOut = 0;
      lookedAt = 0;
      left = left.slice(end);
    } while (left !== "");
    return lines;
  };
  /** Lines of a paragraph that stay as they are, whatever words come: all but the last of those before its first mark. */
  const settledLines = (): string[] => {
    if (fence || table || rest.length < lookedAt + width / 2 || !PROSE.test(rest)) return [];
    lookedAt = rest.length;
    const mark = rest.search(MARK);
    const end = rest.lastIndexOf(" ", mark === -1 ? rest.length : mark);
    if (end === -1) return [];
    const lines = wrapLine(shownText(rest.slice(0, end)), width, { hard: true });
    const settled = lines.slice(isOut, -1);
    if (settled.length === 0) return [];
    const all = isOut > 0 ? settled : spaced(settled);
    isOut = lines.length - 1;
    return all;
  };
  const liveLines = (): string[] => {
    if (fence) return rest === "" ? [] : [code(fence.code.peek(shownText(rest)))];
    const before = table?.peek(isTableLine(rest) ? rest : "") ?? [];
    return rest === "" || fenceIn(rest) || (table && isTableLine(rest)) ? before : [...before, ...blockLines(rest).slice(isOut)];
  };
  return {
    push(text) {
      const parts = (rest + text).split("\n");
      rest = parts.pop()!;
      const lines = parts.flatMap((line) => complete(line.replace(/\r$/, "")));
      // One more: the last character may be half of an end of line.
      while (rest.length > LONGEST + 1) {
        const end = pieceEnd(rest);
        lines.push(...complete(rest.slice(0, end)));
        rest = rest.slice(end);
      }
      return [...lines, ...settledLines()];
    },
    tail() {
      const drawn = liveLines();
      return (hasBlank && hasBegun && drawn.length > 0 ? ["", ...drawn] : drawn).map((line) => cutLine(line, width, theme.signs.cut));
    },
    end() {
      const lines = rest === "" ? [] : complete(rest.replace(/\r$/, ""));
      const all = [...lines, ...endTable()];
      rest = "";
      fence = null;
      hasBlank = false;
      hasBegun = false;
      return all;
    },
  };
}

/** Where a piece of a long line ends: not within a character. */
const pieceEnd = (line: string): number => (line.length > LONGEST && /[\ud800-\udbff]/.test(line[LONGEST - 1]!) ? LONGEST - 1 : LONGEST);

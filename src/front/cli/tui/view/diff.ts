import { bounded } from "../../../../text/visible.ts";
import { diffBody } from "../../chat/diff-view.ts";
import type { Theme } from "../theme.ts";
import { columnsOfLine, cutLine, foldLine } from "../width.ts";
import { compareWords, type DiffWord } from "./diff-words.ts";
import { shownText } from "./shown-text.ts";

/** How a diff is drawn: a line that is too long is cut, or shown whole in several. */
export interface DiffDrawing {
  readonly long?: "cut" | "fold";
  /** The first lines only. */
  readonly most?: number;
}

/** Columns of a line that is cut anyway are not looked at beyond this many times the width. */
const LOOKED_AT = 4;

/** A unified diff without the names of its files. Words that differ within a line are marked. */
export function diffLines(diff: string, width: number, theme: Theme, { long = "cut", most }: DiffDrawing = {}): string[] {
  const body = diffBody(diff).slice(0, most);
  const near = (line: string) => shownText(long === "cut" ? bounded(line, LOOKED_AT * width) : line);
  const fit = (line: string) => (long === "cut" ? [cutLine(line, width, theme.signs.cut)] : foldMarked(line, width, theme));
  return drawn(body.map(near), theme).flatMap(fit);
}

/** A line that is shown whole. Where it goes on it is marked: what follows must not be taken for a line of its own. */
export function foldMarked(line: string, width: number, { dim, signs: { cut } }: Theme): string[] {
  const mark = `${cut} `;
  const room = width - columnsOfLine(mark);
  if (columnsOfLine(line) <= width || room < 1) return foldLine(line, Math.max(1, width));
  const [first = "", ...rest] = foldLine(line, room);
  return [first, ...rest.map((more) => dim(mark) + more)];
}

/** Removed lines and the added ones right after them are compared pair by pair. */
function drawn(lines: readonly string[], theme: Theme): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "-");
    const added = runOf(lines, at + removed.length, "+");
    if (removed.length + added.length === 0) {
      const line = lines[at++]!;
      out.push(line.startsWith("@@") ? theme.accent(line) : theme.dim(line));
      continue;
    }
    const pairs = removed.slice(0, added.length).map((line, n) => compareWords(line.slice(1), added[n]!.slice(1)));
    out.push(...removed.map((line, n) => marked(line, pairs[n]?.before, theme.del, theme.delMark)));
    out.push(...added.map((line, n) => marked(line, pairs[n]?.after, theme.add, theme.addMark)));
    at += removed.length + added.length;
  }
  return out;
}

function runOf(lines: readonly string[], from: number, sign: string): string[] {
  let end = from;
  while (lines[end]?.startsWith(sign)) end++;
  return lines.slice(from, end);
}

const marked = (line: string, words: readonly DiffWord[] | undefined, paint: Theme["add"], mark: Theme["addMark"]): string =>
  paint(words === undefined ? line : line[0] + words.map(({ text, isSame }) => (isSame ? text : mark(text))).join(""));

import { endOfRun } from "../../text/group-by.ts";
import { isBlank, type Line } from "../line.ts";
import type { Table } from "./cells.ts";

/** Lines that only draw: `+----+----+`, `|---|:--|`, `├───┼───┤`, `=====  ====`. */
const RULE = /^[\s|+:\-=\u2500-\u257f]*$/;
const STROKES = /[-=\u2500\u2501\u2550\u254c\u2504]{2}/;
const BARS = /[|\u2502\u2503\u2551]/;

export const isRule = (text: string): boolean => STROKES.test(text) && RULE.test(text);

const FEWEST_CELLS = 2;

/** Where lines with bars and rules end that begin here. */
export const endOfDrawing = (lines: readonly Line[], from: number): number => endOfRun(lines, from, mayBeDrawn);

/** A table with bars between its columns and rules between its rows, as databases and reports draw them. null: this is none. */
export function readDrawn(block: readonly Line[]): Table | null {
  const rules = block.filter(({ text }) => isRule(text));
  const others = block.filter((line) => !rules.includes(line));
  if (rules.length === 0 || others.length < 2 || isStacked(block)) return null;
  const parts = others.map(({ text }) => text.trim().split(BARS));
  const isOpen = (at: 0 | -1): boolean => parts.every((cells) => cells.at(at) === "");
  const [start, stop] = [isOpen(0) ? 1 : 0, isOpen(-1) ? -1 : undefined];
  const rows = others.map((line, n) => ({ line, cells: parts[n]!.slice(start, stop).map((cell) => cell.trim()) }));
  const width = rows[0]!.cells.length;
  if (width < FEWEST_CELLS || rows.some(({ cells }) => cells.length !== width)) return null;
  const isNamed = isRule(block[block.indexOf(others[0]!) + 1]?.text ?? "");
  return { rows, isNamed, drawing: rules };
}

function mayBeDrawn(line: Line): boolean {
  return line.covers === 1 && !isBlank(line) && line.text.length < LONGEST && (BARS.test(line.text) || isRule(line.text));
}
const LONGEST = 2000;

/** Where rules part the rows and a row has several lines, the rules say where it ends. */
function isStacked(block: readonly Line[]): boolean {
  const lengths: number[] = [0];
  for (const { text } of block) {
    if (isRule(text)) lengths.push(0);
    else lengths[lengths.length - 1]!++;
  }
  const rows = lengths.filter((length) => length > 0);
  return rows.length > 3 && rows.some((length) => length > 1);
}

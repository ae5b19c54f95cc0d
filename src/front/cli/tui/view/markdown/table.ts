import type { Theme } from "../../theme.ts";
import { columnsOfLine, padLine, wrapLine } from "../../width.ts";

const GAP = "  ";
/** A column is not made narrower than this. */
const LEAST = 4;
const MOST_COLUMNS = 40;

/** The widths of a table's columns, and which of them stand at the right. */
export interface TableShape {
  readonly widths: readonly number[];
  readonly isRight: readonly boolean[];
}

export const isTableLine = (line: string): boolean => /^ {0,3}\|/.test(line);

/** The line between the head and the rows. */
export const isTableRule = (line: string): boolean => /^ {0,3}\|(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/.test(line);

/** The cells of a line, with what is drawn in each. */
export function cellsOf(line: string, draw: (cell: string) => string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner
    .split(/(?<!\\)\|/)
    .slice(0, MOST_COLUMNS)
    .map((cell) => draw(cell.trim().replaceAll("\\|", "|")));
}

/** Columns as wide as they need, or narrower where all together are too wide: the widest gives way first. Null where there are too many. */
export function fitTable(rows: readonly (readonly string[])[], rule: string, width: number): TableShape | null {
  const count = Math.max(...rows.map((row) => row.length));
  const room = width - GAP.length * (count - 1);
  if (room < count * LEAST) return null;
  const widths = Array.from({ length: count }, (_, n) => Math.max(1, ...rows.map((row) => columnsOfLine(row[n] ?? ""))));
  let over = widths.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const [widest, next] = [...widths].sort((a, b) => b - a) as [number, number | undefined];
    const at = widths.indexOf(widest);
    const less = Math.min(over, Math.max(1, widest - Math.max(LEAST, next ?? LEAST)));
    widths[at] = widest - less;
    over -= less;
  }
  return { widths, isRight: cellsOf(rule, (cell) => cell).map((cell) => /^-+:$/.test(cell)) };
}

/** One row of the table, in as many lines as its highest cell needs. */
export function rowOfTable(cells: readonly string[], { widths, isRight }: TableShape): string[] {
  const wrapped = widths.map((width, n) => wrapLine(cells[n] ?? "", width, { hard: true }));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, n) => placed(wrapped[n]![line] ?? "", width, isRight[n] === true))
      .join(GAP)
      .trimEnd(),
  );
}

const placed = (text: string, width: number, isRight: boolean): string =>
  isRight ? " ".repeat(Math.max(0, width - columnsOfLine(text))) + text : padLine(text, width);

/** The head of a table and the line below it. */
export const headOfTable = (cells: readonly string[], shape: TableShape, { bold, dim, signs: { rule } }: Theme): string[] => [
  ...rowOfTable(cells.map(bold), shape),
  dim(shape.widths.map((width) => rule.repeat(width)).join(GAP)),
];

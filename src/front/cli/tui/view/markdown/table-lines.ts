import type { Theme } from "../../theme.ts";
import { cellsOf, fitTable, headOfTable, isTableRule, rowOfTable, type TableShape } from "./table.ts";

/** Lines of a table that is not complete. */
export interface TableLines {
  /** Lines that are finished by this one: none, unless the table is so long that it is not waited for. */
  add(line: string): string[];
  /** The lines as they would be drawn now, with the beginning of one that is not complete. */
  peek(rest: string): string[];
  /** The table is complete: its lines, as far as they are not out already. */
  end(): string[];
}

/** Parts of the stream that a table is drawn with. */
export interface TableParts {
  readonly width: number;
  readonly theme: Theme;
  /** Draws the inside of a cell. */
  cell(text: string): string;
  /** Draws a line that looked like a table's and is none. */
  plain(line: string): string[];
}

/** A longer table keeps the widths it has by then. */
const MOST_LINES = 500;
const MOST_CHARS = 64 * 1024;

export function createTableLines({ width, theme, cell, plain }: TableParts): TableLines {
  let lines: string[] = [];
  let size = 0;
  /** Of a table whose beginning is out. */
  let fixed: TableShape | null = null;
  const rowOf = (line: string) => cellsOf(line, cell);
  const draw = (all: readonly string[]): { readonly drawn: string[]; readonly shape: TableShape | null } => {
    if (fixed) return { drawn: all.flatMap((line) => rowOfTable(rowOf(line), fixed!)), shape: fixed };
    const [head = "", rule = "", ...body] = all;
    const cells = isTableRule(rule) ? [head, ...body].map(rowOf) : [];
    const shape = cells.length === 0 ? null : fitTable(cells, rule, width);
    if (shape === null) return { drawn: all.flatMap(plain), shape };
    const [first = [], ...rows] = cells;
    return { drawn: [...headOfTable(first, shape, theme), ...rows.flatMap((row) => rowOfTable(row, shape))], shape };
  };
  const flush = () => {
    const { drawn, shape } = draw(lines);
    lines = [];
    size = 0;
    fixed = shape;
    return drawn;
  };
  return {
    add(line) {
      lines.push(line);
      size += line.length;
      const isNone = fixed === null && lines.length === 2 && !isTableRule(line);
      return isNone || lines.length > MOST_LINES || size > MOST_CHARS ? flush() : [];
    },
    peek: (rest) => draw(rest === "" ? lines : [...lines, rest]).drawn,
    end: flush,
  };
}

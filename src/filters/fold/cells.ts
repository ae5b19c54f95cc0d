import type { Line } from "../line.ts";

export interface CellRow {
  readonly line: Line;
  readonly cells: readonly string[];
}

/** Lines read as rows of equally many cells. */
export interface Table {
  readonly rows: readonly CellRow[];
  /** The first row names the columns. */
  readonly isNamed: boolean;
  /** Lines that only draw and say nothing. */
  readonly drawing: readonly Line[];
}

/** Names have no digits and most rows do, or they are all in capitals. */
export function looksNamed([head, ...body]: readonly CellRow[]): boolean {
  if (!head || body.length === 0 || head.cells.some((cell) => /\d/.test(cell))) return false;
  const isLoud = ({ cells }: CellRow): boolean => cells.every((cell) => cell === "" || CAPITALS.test(cell));
  return (isLoud(head) && !body.some(isLoud)) || body.every(({ cells }) => cells.some((cell) => /\d/.test(cell)));
}

const CAPITALS = /^[A-Z][A-Z %/_().#-]*$/;

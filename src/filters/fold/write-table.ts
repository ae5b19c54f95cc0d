import { heading, type Line, standFor } from "../line.ts";
import type { Table } from "./cells.ts";
import { noteColumns } from "./column-notes.ts";
import { weighText } from "./weigh-text.ts";

/**
 * Cells side by side, without what only pleases the eye. An empty cell is `-`; what all rows have in a column is said once, behind the names.
 * `said`: whether a cell may also be `"` where it says what the cell above says.
 */
export function writeTable(
  { rows: read, isNamed, drawing }: Table,
  said: "each" | "once",
  unit: "column" | "word" = "column",
): readonly Line[] {
  const rows = read.map(({ line, cells }) => ({ line, cells: cells.map((cell) => (cell === "<none>" ? "" : cell)) }));
  const [head, body] = [rows[0]!, rows.slice(1)];
  const names = isNamed ? head.cells : head.cells.map((_, n) => `${unit} ${n + 1}`);
  const { shown, note } = noteColumns(names, isNamed ? body : rows);
  const empty = rows.some(({ cells }) => cells.includes("-")) ? '""' : "-";
  const isBarred = rows.every(({ cells }) => cells.some((cell) => cell.startsWith("|")));
  const close = (text: string): string => (isBarred ? text.replace(/ *\| */g, "|") : text);
  const full = rows.map((row) =>
    shown.map(({ n, from, to }) => (row === head && isNamed ? row.cells[n]! : row.cells[n]!.slice(from, row.cells[n]!.length - to))),
  );
  const short = said === "once" ? withDittos(full, isNamed ? 2 : 1) : full;
  // Where no row but a few has a first cell, and the column no name, a blank is enough.
  const isIndented = isNamed && full[0]![0] === "";
  const texts = short.map((cells) => close(sideBySide(cells, empty, isIndented)));
  const notes = [note, short === full ? "" : AS_ABOVE].filter((each) => each !== "").join("; ");
  const lines = texts.map((text, n) => standFor(text, n === 0 ? [head.line, ...drawing] : [rows[n]!.line]));
  if (notes === "") return lines;
  return isNamed ? [{ ...lines[0]!, text: `${texts[0]} (${notes})` }, ...lines.slice(1)] : [heading(`(${notes})`), ...lines];
}

const AS_ABOVE = '" = as above';

/** Cells of so many tokens are worth a mark in their place. */
const WORTH_MARK = 3;
const LEAST_WON = 10;

/** Where a cell says what the one above it says. Not at the front of a row: what rows begin with in common is said above them. */
function withDittos(rows: readonly (readonly string[])[], from: number): readonly (readonly string[])[] {
  if (rows.some((cells) => cells.includes('"'))) return rows;
  let won = 0;
  const marked = rows.map((cells, n) => {
    const above = rows[n - 1];
    if (!above || n < from) return cells;
    let isFront = true;
    return cells.map((cell, column) => {
      isFront &&= cell === above[column];
      const weight = weighText(` ${cell}`);
      if (isFront || cell !== above[column] || weight < WORTH_MARK) return cell;
      won += weight - 1;
      return '"';
    });
  });
  return won < LEAST_WON ? rows : marked;
}

/** An empty cell at the end is nothing. A cell of several words stands apart from its neighbours. */
function sideBySide(cells: readonly string[], empty: string, isIndented: boolean): string {
  const last = cells.findLastIndex((cell) => cell !== "");
  const start = isIndented && cells[0] === "" ? 1 : 0;
  return cells
    .slice(start, last + 1)
    .map((cell) => (cell === "" ? empty : cell.replace(/ {2,}/g, " ")))
    .reduce(
      (row, cell, n, all) => `${row}${n === 0 ? "" : [all[n - 1], cell].some((each) => each!.includes(" ")) ? "  " : " "}${cell}`,
      " ".repeat(start),
    );
}

import { type Line, standFor } from "../line.ts";
import type { Table } from "./cells.ts";
import { noteColumns } from "./column-notes.ts";

/** The rows with single blanks between their cells. An empty cell becomes `-`. A column with the same cell in all rows is named once, behind the names. */
export function writeTable({ rows: read, isNamed, drawing }: Table): readonly Line[] {
  const rows = read.map(({ line, cells }) => ({ line, cells: cells.map((cell) => (cell === "<none>" ? "" : cell)) }));
  const [head, body] = [rows[0]!, rows.slice(1)];
  // Where no row names the columns, nothing can be said of one.
  const {
    shown,
    names: heads,
    note,
  } = isNamed ? noteColumns(head.cells, body) : { shown: [...head.cells.keys()], names: head.cells, note: "" };
  const empty = rows.some(({ cells }) => cells.includes("-")) ? '""' : "-";
  const isBarred = rows.every(({ cells }) => cells.some((cell) => cell.startsWith("|")));
  const close = (text: string): string => (isBarred ? text.replace(/ *\| */g, "|") : text);
  const full = [heads, ...body.map(({ cells }) => cells)].map((cells) => shown.map((n) => cells[n]!));
  // Where no row but a few has a first cell, and the column no name, a blank is enough.
  const isIndented = isNamed && full[0]![0] === "";
  const [names, ...texts] = full.map((cells) => close(sideBySide(cells, empty, isIndented)));
  const first = standFor(note === "" ? names! : `${names} (${note})`, [head.line, ...drawing]);
  return [first, ...texts.map((text, n) => standFor(text, [body[n]!.line]))];
}

/** An empty cell at the end is nothing. A cell of several words stands apart from its neighbours. */
function sideBySide(cells: readonly string[], empty: string, isIndented: boolean): string {
  const last = cells.findLastIndex((cell) => cell !== "");
  const start = isIndented && cells[0] === "" ? 1 : 0;
  return cells
    .slice(start, last + 1)
    .map((cell) => (cell === "" ? empty : cell.replace(/(?<=\S) {2,}/g, " ")))
    .reduce(
      (row, cell, n, all) =>
        `${row}${n === 0 ? "" : [all[n - 1], cell].some((each) => each!.includes(" ") && !MEASURED.test(each!)) ? "  " : " "}${cell}`,
      " ".repeat(start),
    );
}

/** `541.6 ns/op`: clear beside its neighbours. */
const MEASURED = /^\d[\d.,]* [^\s\d]\S*$/;

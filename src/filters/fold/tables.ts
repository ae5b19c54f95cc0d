import { isBlank, type Line, standFor } from "../line.ts";
import { weighText } from "./weigh-text.ts";

/** Lines that belong together. In a table whose columns are named, a row is read by its place below the names. */
export interface Passage {
  readonly lines: readonly Line[];
  readonly isNamed: boolean;
}

/** Tables without the blanks that line up their columns. Every cell stays, an empty one as `-`; what all rows have in a column is said once, in the header. */
export function foldTables(lines: readonly Line[]): readonly Passage[] {
  const passages: Passage[] = [];
  let others: Line[] = [];
  let tries = 0;
  for (let at = 0; at < lines.length; ) {
    const end = endOfTable(lines, at);
    const table = end - at < 2 || isTorn(lines, at, end) ? null : squeezed(lines.slice(at, end));
    if (table) {
      passages.push({ lines: others, isNamed: false }, table);
      others = [];
    }
    // What begins with a title may be a table from its second line on, or its third.
    const isOver = table !== null || ++tries === MOST_TRIES;
    const next = isOver ? end : at + 1;
    if (!table) others.push(...lines.slice(at, next));
    if (isOver || end - at < FEWEST) tries = 0;
    at = next;
  }
  return [...passages, { lines: others, isNamed: false }].filter(({ lines }) => lines.length > 0);
}

const MOST_TRIES = 3;
/** A few lines that only begin like a table: what follows has gaps as well, but others. */
const isTorn = (lines: readonly Line[], at: number, end: number): boolean =>
  end - at < SURE && end < lines.length && !isBlank(lines[end]!) && lines[end]!.text.search(/\S/) > 1 && GAP.test(lines[end]!.text);

const SURE = 5;
const FEWEST = 3;
const MOST_WIDTH = 400;
/** Two columns only happen to be there in prose, unless nearly every line has a wide gap. */
const COLUMNS = 3;
const NEARLY_ALL = 0.8;
/** So many of the cells hold something, or lines only happen to leave the same places blank. */
const FULL = 0.6;

const WIDE = /\S(?: {3,}|\s*\t\s*)\S/;
const GAP = /\S(?: {2,}| ?\t\s*)(?=\S)/;
const RULE = /^[\s|+]*(?:[-=─═]{2,}[\s|+┼]*)+$/;
/** What a compiler points at stands where it points; drawn branches and changes mean something by their place. */
const POINTS = /^[\s\d|>]*[\^~]|[├└│┌]|\\_|^\s*[|`]-|^\s*[-+#](?:\s|$)/;

const isRule = (text: string): boolean => RULE.test(text);
/** An error between the rows is a sentence, and stays one. */
const isSentence = ({ text, errors }: Line): boolean => errors > 0 && !GAP.test(text.trim());
const mayBeRow = (line: Line): boolean =>
  line.covers === 1 && line.text.length < MOST_WIDTH && !POINTS.test(line.text) && !isSentence(line);

/** The lines from here on that leave the same places blank. */
function endOfTable(lines: readonly Line[], from: number): number {
  const first = lines[from]!;
  if (isBlank(first) || !mayBeRow(first) || isRule(first.text) || !GAP.test(first.text)) return from + 1;
  const used = new Uint8Array(MOST_WIDTH + 2);
  let columns = 0;
  let start = 0;
  let end = from;
  for (; end < lines.length && !isBlank(lines[end]!) && mayBeRow(lines[end]!); end++) {
    const { text } = lines[end]!;
    if (isRule(text)) continue;
    const wider = used.slice();
    mark(wider, text);
    const left = columnsIn(wider, 2).length;
    if (end > from && (left < 2 || (end - from >= FEWEST && (left < columns - 1 || isFurtherIn(text, start))))) break;
    start = Math.max(start, text.search(/\S/));
    used.set(wider);
    columns = left;
  }
  return end;
}

/** The header of another table may begin further to the right than any row above it. */
const isFurtherIn = (text: string, start: number): boolean => text.search(/\S/) > start + 4;

function mark(used: Uint8Array, text: string): void {
  for (let n = 0; n < text.length; n++) if (text.charCodeAt(n) !== 32) used[n] = 1;
}

/** Where columns begin and end: between them at least so many places are blank in every line. */
function columnsIn(used: Uint8Array, apart: 1 | 2): [number, number][] {
  const columns: [number, number][] = [];
  for (let at = 0; at < used.length; ) {
    while (at < used.length && !used[at]) at++;
    const from = at;
    while (at < used.length && (used[at] || (apart === 2 && used[at + 1]))) at++;
    if (at > from) columns.push([from, at]);
  }
  return columns;
}

interface TableRow {
  readonly line: Line;
  readonly cells: readonly string[];
}

function squeezed(block: readonly Line[]): Passage | null {
  const rules = block.filter(({ text }) => isRule(text));
  const texts = block.filter((line) => !rules.includes(line));
  const gaps = texts.filter(({ text }) => GAP.test(text)).length / texts.length;
  // A table whose blanks are gone already would be torn apart where words happen to stand below each other.
  if (texts.length < 2 || gaps < FULL || !texts.some(({ text }) => WIDE.test(text))) return null;
  const rows = rowsOf(texts);
  const [head, ...body] = rows;
  const cells = head!.cells.length;
  const filled = body.reduce((sum, row) => sum + row.cells.filter((cell) => cell !== "").length, 0);
  const isPair = cells === 2 && gaps >= NEARLY_ALL && filled === 2 * body.length && (rules.length > 0 || rows.length >= SURE);
  if ((cells < COLUMNS && !isPair) || filled < body.length * cells * FULL) return null;
  const named = rules.length > 0 || isHeader(head!, body);
  if (rows.length < FEWEST && !named) return null;
  const said = named && body.length >= FEWEST ? columnsSaid(head!, body) : [];
  const shown = [...head!.cells.keys()].filter((n) => !said.includes(n));
  const note = said.length > 0 ? ` (all: ${said.map((n) => `${head!.cells[n]}=${body[0]!.cells[n]}`).join(", ")})` : "";
  const empty = rows.some((row) => row.cells.includes("-")) ? '""' : "-";
  const isBarred = rows.every(({ cells }) => cells.some((cell) => cell.startsWith("|")));
  const close = (text: string): string => (isBarred ? text.replace(/ *\| */g, "|") : text);
  const result = rows.map((row) =>
    standFor(
      close(
        sideBySide(
          shown.map((n) => row.cells[n]!),
          empty,
        ),
      ) + (row === head ? note : ""),
      // A rule below the header says nothing.
      row === head ? [row.line, ...rules] : [row.line],
    ),
  );
  return weigh(result) < weigh(block) ? { lines: result, isNamed: named } : null;
}

const weigh = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + weighText(text) + 1, 0);

function rowsOf(lines: readonly Line[]): TableRow[] {
  const used = new Uint8Array(MOST_WIDTH + 2);
  for (const { text } of lines) mark(used, text);
  const bounds = columnsIn(used, 1);
  const rows = lines.map((line) => ({ line, cells: bounds.map(([from, to]) => line.text.slice(from, to).trim()) }));
  // A word that only the header has, or that it does not have, belongs to the column before it: `Mounted on`, `10 minutes ago`.
  const lone = bounds.map((_, n) => n > 0 && (rows[0]!.cells[n] === "" || rows.slice(1).every(({ cells }) => cells[n] === "")));
  return rows.map(({ line, cells }) => ({ line, cells: joinedCells(cells, lone) }));
}

function joinedCells(cells: readonly string[], lone: readonly boolean[]): string[] {
  const joined: string[] = [];
  for (const [n, cell] of cells.entries()) {
    if (!lone[n]) joined.push(cell);
    else if (cell !== "") joined[joined.length - 1] = `${joined.at(-1)} ${cell}`.trim();
  }
  return joined;
}

const isHeader = (head: TableRow, body: readonly TableRow[]): boolean =>
  !head.cells.some((cell) => /\d/.test(cell)) && body.every(({ cells }) => cells.some((cell) => /\d/.test(cell)));

/** Columns in which all rows say the same, but not the one that names them. */
const columnsSaid = (head: TableRow, body: readonly TableRow[]): number[] =>
  [...head.cells.keys()].filter((n) => {
    const value = body[0]!.cells[n]!;
    return head.cells[n] !== "" && value !== "" && value !== "|" && body.every(({ cells }) => cells[n] === value);
  });

/** An empty cell at the front is a blank, one at the end nothing. A cell of several words stands apart from its neighbours. */
function sideBySide(cells: readonly string[], empty: string): string {
  const last = cells.findLastIndex((cell) => cell !== "");
  const start = Math.max(
    0,
    cells.findIndex((cell) => cell !== ""),
  );
  return cells
    .slice(start, last + 1)
    .map((cell) => (cell === "" ? empty : cell.replace(/ {2,}/g, " ")))
    .reduce(
      (row, cell, n, all) => `${row}${n === 0 ? "" : [all[n - 1], cell].some((each) => each!.includes(" ")) ? "  " : " "}${cell}`,
      " ".repeat(start),
    );
}

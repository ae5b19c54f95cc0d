import { isBlank, type Line } from "../line.ts";
import { type CellRow, looksNamed, type Table } from "./cells.ts";
import { endOfDrawing, isRule, readDrawn } from "./drawn.ts";
import { readSeparated } from "./separated.ts";
import { weighLines } from "./weigh-text.ts";
import { writeTable } from "./write-table.ts";

/** Lines that belong together, and how they read as a table, if they are one. */
export interface Passage {
  readonly lines: readonly Line[];
  readonly table: Table | null;
}

/** The tables in a text: drawn, apart by tabs or other signs, or with columns below each other. */
export function findTables(lines: readonly Line[]): readonly Passage[] {
  const passages: Passage[] = [];
  let others: Line[] = [];
  let tries = 0;
  // What was looked at as a drawn table and is none is not looked at again from each of its lines.
  let drawnFrom = 0;
  for (let at = 0; at < lines.length; ) {
    const drawnEnd = at < drawnFrom ? at : endOfDrawing(lines, at);
    drawnFrom = Math.max(drawnFrom, drawnEnd);
    const drawn = drawnEnd > at ? readDrawn(lines.slice(at, drawnEnd)) : null;
    const signed = drawn ? { table: drawn, end: drawnEnd } : readSeparated(lines, at);
    const end = signed?.end ?? endOfTable(lines, at);
    const table = signed ? signed.table : end - at < 2 || isTorn(lines, at, end) ? null : readAligned(lines.slice(at, end));
    if (table) {
      passages.push({ lines: others, table: null }, { lines: lines.slice(at, end), table });
      others = [];
    }
    // What begins with a title may be a table from its second line on, or its third.
    const isOver = table !== null || ++tries === MOST_TRIES;
    const next = isOver ? end : at + 1;
    if (!table) others.push(...lines.slice(at, next));
    if (isOver || end - at < FEWEST) tries = 0;
    at = next;
  }
  return [...passages, { lines: others, table: null }].filter(({ lines }) => lines.length > 0);
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
/** What a compiler points at stands where it points; drawn branches and changes mean something by their place. */
const POINTS = /^[\s\d|>]*[\^~]|[├└│┌]|^\s*[|`]-|^\s*[-+#](?:\s|$)/;

const DRAWN = /^ {1,40}\\_ /;

/** An error between the rows is a sentence, and stays one; so is what is said below them. */
const isSentence = ({ text, errors }: Line): boolean => (errors > 0 || /^\S+ \S+ .*\w[.!]$/.test(text)) && !GAP.test(text.trim());
const mayBeRow = (line: Line): boolean =>
  line.covers === 1 && line.text.length < MOST_WIDTH && !POINTS.test(line.text) && !isSentence(line);

/** The lines from here on that leave the same places blank. */
function endOfTable(lines: readonly Line[], from: number): number {
  const first = lines[from]!;
  if (isBlank(first) || !mayBeRow(first) || isRule(first.text) || !GAP.test(first.text)) return from + 1;
  const used = new Uint8Array(MOST_WIDTH + 2);
  let columns = 0;
  let start = 0;
  let rule = "";
  let end = from;
  for (; end < lines.length && !isBlank(lines[end]!) && mayBeRow(lines[end]!); end++) {
    const { text } = lines[end]!;
    if (isRule(text)) {
      // A rule of another shape is below the names of another table.
      if (rule !== "" && rule !== text.trimEnd() && end - 1 > from) return end - 1;
      rule = text.trimEnd();
      continue;
    }
    const wider = used.slice();
    mark(wider, text);
    const left = columnsIn(wider, 2).length;
    const isNarrow = left < 2 && (columnsIn(wider, 1).length <= COLUMNS || !GAP.test(text));
    if (end > from && (isNarrow || (end - from >= FEWEST && (left < columns - 1 || isFurtherIn(text, start))))) break;
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

/** A table whose columns stand below each other. null: this is none. */
function readAligned(block: readonly Line[]): Table | null {
  const rules = block.filter(({ text }) => isRule(text));
  const texts = block.filter((line) => !rules.includes(line));
  const gaps = texts.filter(({ text }) => GAP.test(text)).length / texts.length;
  // A table whose blanks are gone already would be torn apart where words happen to stand below each other.
  if (texts.length < 2 || gaps < FULL || !texts.some(({ text }) => WIDE.test(text))) return null;
  const rows = rowsOf(texts, rules[0]?.text ?? "");
  const [head, ...body] = rows;
  const cells = head!.cells.length;
  const filled = body.reduce((sum, row) => sum + row.cells.filter((cell) => cell !== "").length, 0);
  const isPair = cells === 2 && gaps >= NEARLY_ALL && filled === 2 * body.length && (rules.length > 0 || rows.length >= SURE);
  if ((cells < COLUMNS && !isPair) || filled < body.length * cells * FULL) return null;
  const isNamed = rules.length > 0 || looksNamed(rows);
  return rows.length < FEWEST && !isNamed ? null : { rows, isNamed, drawing: rules };
}

function rowsOf(lines: readonly Line[], rule: string): CellRow[] {
  const used = new Uint8Array(MOST_WIDTH + 2);
  for (const { text } of lines) mark(used, text);
  const bounds = columnsIn(used, 1);
  const last = bounds.length - 1;
  // `ps --forest` draws in its last column whose child a program is.
  const isDrawn = lines.some(({ text }) => DRAWN.test(text.slice(bounds[last]?.[0] ?? 0)));
  const cellAt = (text: string, n: number): string => {
    const cell = text.slice(...bounds[n]!);
    return isDrawn && n === last ? cell.trimEnd() : cell.trim();
  };
  const rows = lines.map((line) => ({ line, cells: bounds.map((_, n) => cellAt(line.text, n)) }));
  // A word that only the header has, or that it does not have, belongs to the column before it: `Mounted on`, `10 minutes ago`.
  // Where a rule has a stroke for each column, all are known.
  const isRuled = rule.trim().split(/\s+/).length === bounds.length;
  const lone = bounds.map((_, n) => n > 0 && !isRuled && (rows[0]!.cells[n] === "" || rows.slice(1).every(({ cells }) => cells[n] === "")));
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

/** Tables without the blanks that line up their columns, and without what is drawn around them. */
export const squeezeTables = (lines: readonly Line[]): readonly Line[] =>
  findTables(lines).flatMap(({ lines, table }) => {
    const squeezed = table && writeTable(table);
    return squeezed && weighLines(squeezed) < weighLines(lines) ? squeezed : lines;
  });

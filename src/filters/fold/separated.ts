import { endOfRun } from "../../text/group-by.ts";
import { isBlank, type Line } from "../line.ts";
import { looksNamed, type Table } from "./cells.ts";

/** What may stand between two cells, how many cells a row has at least, and how many rows make it sure. */
const SEPARATORS = [
  { sign: "\t", cells: 2, rows: 3 },
  { sign: " | ", cells: 3, rows: 3 },
  { sign: "|", cells: 3, rows: 4 },
  { sign: ",", cells: 4, rows: 4 },
  { sign: ";", cells: 4, rows: 4 },
] as const;
const LONGEST = 2000;

/** Rows whose cells are apart by a sign, equally many in each: tabs, and what databases and spreadsheets write. null: there are none here. */
export function readSeparated(lines: readonly Line[], from: number): { readonly table: Table; readonly end: number } | null {
  for (const { sign, cells, rows } of SEPARATORS) {
    const width = widthOf(lines[from]!, sign);
    if (width < cells) continue;
    const end = endOfRun(lines, from + 1, (line) => widthOf(line, sign) === width);
    const found = lines.slice(from, end).map((line) => ({ line, cells: line.text.split(sign).map((cell) => cell.trim()) }));
    const isNamed = looksNamed(found);
    if (found.length >= rows || (isNamed && sign === "\t" && found.length > 1))
      return { table: { rows: found, isNamed, drawing: [] }, end };
  }
  return null;
}

/** Into how many cells a sign cuts a line. A comma in a sentence has a blank behind it, and quotes may hold anything. */
function widthOf(line: Line, sign: string): number {
  const { text } = line;
  if (line.covers !== 1 || isBlank(line) || text.length > LONGEST || text.startsWith(sign) || !text.includes(sign)) return 0;
  if (sign.length === 1 && sign !== "\t" && (text.includes('"') || text.includes(`${sign} `) || text.includes(` ${sign}`))) return 0;
  return text.split(sign).length;
}

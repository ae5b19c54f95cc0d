import { endOfRun } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import type { CellRow } from "./cells.ts";
import type { Passage } from "./tables.ts";
import { rowOf, startsAlike, type WordRow } from "./word-row.ts";

const FEWEST = 4;
const MOST_WORDS = 12;

/** Neighbouring lines of equally many words, read as a table of words. */
export function findWordRows(lines: readonly Line[]): readonly Passage[] {
  const rows = lines.map(rowOf);
  const passages: Passage[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = rows[at];
    const end = endOfRun(rows, at + 1, (row) => !!first && isLike(first, row));
    const isTable = first && first.words.length > 1 && first.words.length <= MOST_WORDS && end - at >= FEWEST;
    const found = rows.slice(at, end).map((row) => ({ line: row?.line, cells: row?.words })) as CellRow[];
    passages.push({ lines: lines.slice(at, end), table: isTable ? { rows: found, isNamed: false, drawing: [] } : null });
    at = end;
  }
  return passages;
}

const isLike = (a: WordRow, b: WordRow | null): boolean => b !== null && a.words.length === b.words.length && startsAlike(a, b);

import type { CellRow } from "./cells.ts";
import { weighText } from "./weigh-text.ts";

/** Which columns are shown, and the note that tells of the others. */
export interface ColumnNotes {
  readonly shown: readonly number[];
  readonly note: string;
}

/** So many rows must agree before it is said for all of them. */
const FEWEST = 3;

/** What is true of a whole column: `all: USER=dev, Location=node_modules/<Package>; empty: GATES`. */
export function noteColumns(names: readonly string[], body: readonly CellRow[]): ColumnNotes {
  const columns = [...names.keys()];
  const cellsOf = (n: number): readonly string[] => body.map(({ cells }) => cells[n]!);
  const isNoted = (n: number): boolean => names[n] !== "";
  const empty = columns.filter((n) => isNoted(n) && cellsOf(n).every(isEmpty));
  const full = columns.filter((n) => !empty.includes(n));
  const said = body.length < FEWEST ? [] : full.filter((n) => isNoted(n) && isSame(cellsOf(n)));
  const various = full.filter((n) => !said.includes(n));
  const derived = new Map(body.length < 2 ? [] : various.flatMap((n) => (isNoted(n) ? derivedFrom(various, n, names, body) : [])));
  const left = various.filter((n) => !derived.has(n));
  if (left.length === 0) return { shown: columns, note: "" };
  const value = (n: number): string => (said.includes(n) ? body[0]!.cells[n]! : (derived.get(n) ?? ""));
  const all = columns.filter((n) => value(n) !== "").map((n) => `${names[n]}=${value(n)}`);
  const notes = [
    ...(all.length > 0 ? [`all: ${all.join(", ")}`] : []),
    ...(empty.length > 0 ? [`empty: ${empty.map((n) => names[n]).join(", ")}`] : []),
  ];
  return { shown: left, note: notes.join("; ") };
}

const isEmpty = (cell: string): boolean => cell === "";
const isSame = ([first, ...others]: readonly string[]): boolean => first !== "" && first !== "|" && others.every((cell) => cell === first);

/** A column that repeats one before it in every row, and what it adds: `Wanted=Current`, `Location=node_modules/<Package>`. */
function derivedFrom(columns: readonly number[], n: number, names: readonly string[], body: readonly CellRow[]): [number, string][] {
  const [first] = body as [CellRow];
  // Small numbers are often the same by chance.
  if (body.length < SURE && weighText(first.cells[n]!) < WORTH_NOTE) return [];
  for (const from of columns) {
    if (from >= n) break;
    const own = first.cells[from]!;
    const at = first.cells[n]!.indexOf(own);
    if (at === -1 || own === "" || names[from] === "") continue;
    const before = first.cells[n]!.slice(0, at);
    const behind = first.cells[n]!.slice(at + own.length);
    if (/\w$/.test(before) || /^\w/.test(behind) || !body.every(({ cells }) => cells[n] === before + cells[from] + behind)) continue;
    return [[n, before + behind === "" ? names[from]! : `${before}<${names[from]}>${behind}`]];
  }
  return [];
}

const SURE = 5;
const WORTH_NOTE = 3;

import type { CellRow } from "./cells.ts";
import { weighText } from "./weigh-text.ts";

/** Which columns are shown, how much of their cells' front and end is said for all, and the note that says it. */
export interface ColumnNotes {
  readonly shown: readonly { readonly n: number; readonly from: number; readonly to: number }[];
  readonly note: string;
}

/** So many rows must agree before it is said for all of them. */
const FEWEST = 3;

/** What is true of a whole column: `all: USER=dev, Location=node_modules/<Package>, AT=2026-03-02 …; empty: GATES`. */
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
  if (left.length === 0) return { shown: columns.map(wholly), note: "" };
  const shared = new Map(left.flatMap((n) => (isNoted(n) ? sharedIn(n, cellsOf(n)) : [])));
  const value = (n: number): string =>
    said.includes(n) ? body[0]!.cells[n]! : (derived.get(n) ?? (shared.has(n) ? `${shared.get(n)!.front}…${shared.get(n)!.end}` : ""));
  const all = columns.filter((n) => value(n) !== "").map((n) => `${names[n]}=${value(n)}`);
  const notes = [
    ...(all.length > 0 ? [`all: ${all.join(", ")}`] : []),
    ...(empty.length > 0 ? [`empty: ${empty.map((n) => names[n]).join(", ")}`] : []),
  ];
  const shown = left.map((n) => ({ n, from: shared.get(n)?.front.length ?? 0, to: shared.get(n)?.end.length ?? 0 }));
  return { shown, note: notes.join("; ") };
}

const wholly = (n: number) => ({ n, from: 0, to: 0 });
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

interface SharedParts {
  readonly front: string;
  readonly end: string;
}

const MANY = 4;
const LEAST_WON = 10;

/** What all cells of a column begin and end with: the day of some times, the folder of some paths. */
function sharedIn(n: number, cells: readonly string[]): [number, SharedParts][] {
  if (cells.length < MANY || cells.some((cell) => cell.includes("…"))) return [];
  const [first, ...others] = cells as [string, ...string[]];
  let length = first.length;
  for (const cell of others) while (!cell.startsWith(first.slice(0, length))) length--;
  const front = /^.*[ /]/.exec(first.slice(0, length))?.[0] ?? "";
  let tail = first.length - front.length;
  for (const cell of others) while (tail > 0 && (cell.length - front.length < tail || !cell.endsWith(first.slice(-tail)))) tail--;
  const end = tail === 0 ? "" : (/[ +].*$/.exec(first.slice(-tail))?.[0] ?? "");
  const isWhole = cells.some(
    (cell) => cell.length <= front.length + end.length || /^ | $/.test(cell.slice(front.length, cell.length - end.length)),
  );
  const won = (weighText(front) + weighText(end)) * (cells.length - 1);
  const isShort = weighText(front) < WORTH_PART && weighText(end) < 2;
  return isWhole || isShort || won < LEAST_WON ? [] : [[n, { front, end }]];
}

const WORTH_PART = 4;

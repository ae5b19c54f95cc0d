import { groupBy } from "../../text/group-by.ts";
import type { CellRow } from "./cells.ts";
import { weighText } from "./weigh-text.ts";

/** Which columns are shown, under which names, and the note that tells of the others. */
export interface ColumnNotes {
  readonly names: readonly string[];
  readonly shown: readonly number[];
  readonly note: string;
}

/** So many rows must agree before it is said for all of them. */
const FEWEST = 3;
const SURE = 5;
const WORTH_MERGING = 3;

/** What is true of a whole column: `all: USER=dev; empty: GATES`. Two with the same cells are one with both names: `Current=Wanted`. */
export function noteColumns(names: readonly string[], body: readonly CellRow[]): ColumnNotes {
  const columns = [...names.keys()];
  const cellsOf = (n: number): readonly string[] => body.map(({ cells }) => cells[n]!);
  // A number in the first row is a value, and names nothing.
  const isNoted = (n: number): boolean => /[^\d.,]/.test(names[n]!);
  const empty = columns.filter((n) => isNoted(n) && cellsOf(n).every(isEmpty));
  const full = columns.filter((n) => !empty.includes(n));
  const said = body.length < FEWEST ? [] : full.filter((n) => isNoted(n) && isSame(cellsOf(n)));
  const various = full.filter((n) => !said.includes(n));
  if (various.length === 0) return { shown: columns, names, note: "" };
  const all = said.map((n) => `${names[n]}=${body[0]!.cells[n]}`);
  const notes = [
    ...(all.length > 0 ? [`all: ${all.join(", ")}`] : []),
    ...(empty.length > 0 ? [`empty: ${empty.map((n) => names[n]).join(", ")}`] : []),
  ];
  // Small numbers are often the same by chance.
  const isSure = (n: number): boolean => body.length >= SURE || (body.length > 1 && weighText(body[0]!.cells[n]!) >= WORTH_MERGING);
  const firstLike = (n: number): number =>
    isNoted(n) && isSure(n) ? various.find((m) => isNoted(m) && body.every(({ cells }) => cells[m] === cells[n]))! : n;
  const alike = groupBy(various, firstLike);
  return {
    shown: [...alike.keys()],
    names: names.map(
      (name, n) =>
        alike
          .get(n)
          ?.map((same) => names[same])
          .join("=") ?? name,
    ),
    note: notes.join("; "),
  };
}

const isEmpty = (cell: string): boolean => cell === "";
const isSame = ([first, ...others]: readonly string[]): boolean => first !== "" && first !== "|" && others.every((cell) => cell === first);

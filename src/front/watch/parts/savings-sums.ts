import type { SavedSum } from "../../../core/ports/printed/savings.ts";

/** A token is counted as this many characters. */
export const CHARS_OF_TOKEN = 4;

export interface ShownSum {
  readonly name: string;
  readonly uses: number;
  readonly full: number;
  readonly partial: number;
  readonly fallback: number;
  readonly rawChars: number;
  readonly chars: number;
}

export const savedTokens = ({ rawChars, chars }: Pick<SavedSum, "rawChars" | "chars">): number =>
  Math.max(0, rawChars - chars) / CHARS_OF_TOKEN;

/** One sum for all of a name, those that saved the most first. */
export function sumSavings(rows: readonly SavedSum[], nameOf: (row: SavedSum) => string): readonly ShownSum[] {
  const sums = new Map<string, ShownSum>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, uses: 0, full: 0, partial: 0, fallback: 0, rawChars: 0, chars: 0 };
    sums.set(name, {
      ...sum,
      uses: sum.uses + row.uses,
      [row.confidence]: sum[row.confidence] + row.uses,
      rawChars: sum.rawChars + row.rawChars,
      chars: sum.chars + row.chars,
    });
  }
  return [...sums.values()].sort((a, b) => savedTokens(b) - savedTokens(a));
}

/** The last days where the person is, the oldest first, those on which nothing was saved among them. */
export const lastDays = (now: number, days: number): readonly string[] =>
  Array.from({ length: days }, (_, n) => {
    const day = dayBefore(now, days - 1 - n);
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });

/** The first moment of the first of these days. */
export const daysSince = (now: number, days: number): number => dayBefore(now, days - 1).getTime();

/** Not by hours: a day may have 23 or 25 of them. */
function dayBefore(now: number, days: number): Date {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days);
}
const two = (count: number) => String(count).padStart(2, "0");

export const OTHERS = "others";

/** The kinds that saved the most, and one name for the rest. */
export function topKinds(rows: readonly SavedSum[], most: number): readonly string[] {
  const names = sumSavings(rows, ({ kind }) => kind).map(({ name }) => name);
  return names.length <= most + 1 ? names : [...names.slice(0, most), OTHERS];
}

/** Tokens saved on each day, kind by kind. */
export function dailySavings(rows: readonly SavedSum[], days: readonly string[], kinds: readonly string[]): readonly DailySaving[] {
  const place = new Map(kinds.map((kind, at) => [kind, at]));
  const found = new Map(days.map((day) => [day, kinds.map(() => 0)]));
  for (const row of rows) {
    const values = found.get(row.day);
    const at = place.get(row.kind) ?? place.get(OTHERS);
    if (values && at !== undefined) values[at]! += savedTokens(row);
  }
  return days.map((day) => ({ day, values: found.get(day)! }));
}
export interface DailySaving {
  readonly day: string;
  /** In the order of the kinds. */
  readonly values: readonly number[];
}

import { isErrorShaped } from "./errors.ts";

/** A line on its way to the model, and what it stands for. The sums tell what was left out, so nothing can be lost unnoticed. */
export interface Line {
  readonly text: string;
  /** How many lines of the raw text it stands for. Blank lines count for nothing. */
  readonly covers: number;
  /** How many of them look like errors. */
  readonly errors: number;
  /** The lines it was made from; none for a line as it was printed. What it does not say of theirs is counted (`account.ts`). */
  readonly from: readonly Line[];
}

/** A line as it was printed. */
export function printedLine(text: string): Line {
  if (text.trim() === "") return BLANK;
  return { text, covers: 1, errors: isErrorShaped(text) || (text.startsWith("[") && GAP.test(text)) ? 1 : 0, from: NOTHING };
}

/** Stands where more was printed than is held. It counts as an error, so that it is never left out unnoticed. */
export const GAP = /^\[\d+ bytes left out here\]$/m;

const NOTHING: readonly Line[] = [];

export const BLANK: Line = { text: "", covers: 0, errors: 0, from: NOTHING };

/** One line in place of others: a group, a count, a shorter form. `counted`: others whose errors it counts, though they are left out. */
export function standFor(text: string, lines: readonly Line[], counted: readonly Line[] = NOTHING): Line {
  const { covers, errors } = sumOf(lines);
  return { text, covers, errors: counted.length === 0 ? errors : errors + sumOf(counted).errors, from: lines };
}

/** A line that was not in the raw text and stands for none: a heading. It must claim nothing. */
export const heading = (text: string): Line => ({ text, covers: 0, errors: 0, from: NOTHING });

/** How often something is said: `×3` only of texts that are the same. */
export const timesSaid = ([first = "", ...others]: readonly string[]): string =>
  others.every((text) => text.trim() === first.trim()) ? `×${others.length + 1}` : `and ${others.length} like it`;

export interface Sum {
  readonly covers: number;
  readonly errors: number;
}

export function sumOf(lines: Iterable<Line>): Sum {
  let covers = 0;
  let errors = 0;
  for (const line of lines) {
    covers += line.covers;
    errors += line.errors;
  }
  return { covers, errors };
}

/** In characters, as it is shown. */
export function lengthOf(lines: readonly Line[]): number {
  let length = lines.length;
  for (const { text } of lines) length += text.length;
  return length;
}

export const isBlank = (line: Line): boolean => line.text.trim() === "";

import { isErrorShaped } from "./errors.ts";

/** A line on its way to the model, and what it stands for. The sums tell what was left out, so nothing can be lost unnoticed. */
export interface Line {
  readonly text: string;
  /** How many lines of the raw text it stands for. Blank lines count for nothing. */
  readonly covers: number;
  /** How many of them look like errors. */
  readonly errors: number;
}

/** A line as it was printed. */
export function lineOf(text: string): Line {
  if (text.trim() === "") return BLANK;
  return { text, covers: 1, errors: isErrorShaped(text) || GAP.test(text) ? 1 : 0 };
}

/** Stands where more was printed than is held. It counts as an error, so that it is never left out unnoticed. */
export const GAP = /^\[\d+ bytes left out here\]$/m;

export const BLANK: Line = { text: "", covers: 0, errors: 0 };

/** One line in place of others: a group, a count, a shorter form that keeps every fact of theirs. */
export function standFor(text: string, lines: readonly Line[]): Line {
  let covers = 0;
  let errors = 0;
  for (const line of lines) {
    covers += line.covers;
    errors += line.errors;
  }
  return { text, covers, errors };
}

/** A line that was not in the raw text and stands for none: a heading. It must claim nothing. */
export const heading = (text: string): Line => ({ text, covers: 0, errors: 0 });

export interface Sum {
  readonly covers: number;
  readonly errors: number;
}

export const sumOf = (lines: readonly Line[]): Sum => standFor("", lines);

/** In characters, as it is shown. */
export const lengthOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0);

export const isBlank = (line: Line): boolean => line.text.trim() === "";

import { UsageError } from "./io.ts";

/** The value of an option that is a whole number. */
export function wholeNumber(option: string, given: unknown, { least, most }: { readonly least: number; readonly most: number }): number {
  const n = /^\d{1,9}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (n >= least && n <= most) return n;
  throw new UsageError(`${option} ${given}: it must be a whole number ${least === 0 ? "up" : `from ${least}`} to ${most}.`);
}

/** The value of an option that is a number above 0, with decimals or without. */
export function positiveNumber(option: string, given: unknown): number {
  const n = /^\d{1,9}(?:\.\d{1,6})?$/.test(String(given)) ? Number(given) : Number.NaN;
  if (n > 0) return n;
  throw new UsageError(`${option} ${given}: it must be a number above 0, such as 10 or 0.5.`);
}

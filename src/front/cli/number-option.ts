import { UsageError } from "./io.ts";

/** The value of an option that is a whole number. */
export function wholeNumber(option: string, given: unknown, { least, most }: { readonly least: number; readonly most: number }): number {
  const n = /^\d{1,9}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (n >= least && n <= most) return n;
  throw new UsageError(`${option} ${given}: it must be a whole number ${least === 0 ? "up" : `from ${least}`} to ${most}.`);
}

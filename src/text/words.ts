import { bounded } from "./visible.ts";

/** A count with its noun: `1 line`, `3 lines`, `2 entries`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A count a person reads: `1,234,567`. Not by the languages Node knows, which take milliseconds of a start to be read. */
export const grouped = (count: number): string =>
  Number.isSafeInteger(count) ? String(count).replace(/\B(?=(?:\d{3})+$)/g, ",") : count.toLocaleString("en-US");

/** As `plural`, with a count that may be large: `1,234 calls`. */
export const groupedPlural = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

/** How long something took, for people. */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** The words of a list that is written as a text, with blanks between them. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** A value that is not what was expected, in a few words. */
export function kindWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(bounded(value, 60));
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

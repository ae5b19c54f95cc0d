import type { Bound } from "../../core/turn.ts";

/** Two changes within one millisecond still have an order. */
export function risingClock(): () => number {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1);
    return last;
  };
}

/** Databases disagree about a negative or an infinite limit. */
export const count = (limit: number): number => Math.max(0, Math.min(Math.trunc(limit) || 0, 2 ** 31 - 1));

/** Text comes back cut at its first NUL, so none is stored. For what a model wrote, which should not fail for that. */
export const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

/** Somebody and how far they are believed. What cannot be read is not believed. */
export const boundOf = (name: string, trust: unknown): Bound => ({ name, trust: trust === "provisional" ? "provisional" : "untrusted" });

/** A whole number a row holds, as SQL; null for anything else. A larger one than JavaScript knows would be thrown by the driver. */
export const wholeIn = (column: string): string =>
  `case when typeof(${column}) = 'integer' and ${column} between 0 and ${Number.MAX_SAFE_INTEGER} then ${column} end`;

/** A moment a row holds, in whole milliseconds, as SQL; null for what no date can show. */
export const momentIn = (column: string): string =>
  `cast(case when ${column} between 0 and 8640000000000000 then ${column} end as integer)`;

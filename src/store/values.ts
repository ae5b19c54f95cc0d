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

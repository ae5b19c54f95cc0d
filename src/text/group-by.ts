/** Items by key, in the order in which each key first came. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Neighbours that belong together, each with the one before it. */
export function splitRuns<T>(items: Iterable<T>, goesOn: (before: T, item: T) => boolean): T[][] {
  const runs: T[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run && goesOn(run.at(-1)!, item)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** The place of the first item, from a place on, that is none of these. */
export function endOfRun<T>(items: readonly T[], from: number, isOne: (item: T, at: number) => boolean): number {
  let end = from;
  while (end < items.length && isOne(items[end]!, end)) end++;
  return end;
}

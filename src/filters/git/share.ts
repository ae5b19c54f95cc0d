/** Fewer lines than this of a thing tell nothing. */
const LEAST = 3;

/** How many lines each may show of so many: the small ones all of theirs, the others equal parts of what is left. */
export function shares(sizes: readonly number[], room: number): number[] {
  const order = sizes.map((_, n) => n).sort((a, b) => sizes[a]! - sizes[b]! || a - b);
  const given = sizes.map(() => 0);
  let left = room;
  order.forEach((n, rank) => {
    const fair = Math.max(Math.floor(left / (order.length - rank)), LEAST);
    const most = Math.min(sizes[n]!, fair, left);
    given[n] = most < Math.min(LEAST, sizes[n]!) ? 0 : most;
    left -= given[n];
  });
  return given;
}

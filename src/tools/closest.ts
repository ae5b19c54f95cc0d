const MAX_LINES = 20_000;
const LONGEST_LINE = 4000;
/** A help is not worth waiting for. */
const TIME_LIMIT_MS = 100;

/** Where in a text the lines begin that come nearest to a text that is not in it, by its first line; null where nothing is like it. */
export function findNearest(text: string, wanted: string): number | null {
  const target = wanted.split(/\r?\n/);
  const first = target.find((line) => line.trim() !== "");
  if (first === undefined) return null;
  const skipped = target.indexOf(first);

  let best = { at: -1, score: 0 };
  const wantedPieces = pieces(first);
  const starts: number[] = [];
  const until = performance.now() + TIME_LIMIT_MS;
  for (let from = 0; from <= text.length && starts.length < MAX_LINES && performance.now() < until; ) {
    const end = text.indexOf("\n", from);
    const score = likeness(pieces(text.slice(from, end === -1 ? undefined : Math.min(end, from + LONGEST_LINE))), wantedPieces);
    if (score > best.score) best = { at: starts.length, score };
    starts.push(from);
    if (best.score === 1 || end === -1) break;
    from = end + 1;
  }
  return best.score < 0.4 ? null : starts[Math.max(0, best.at - skipped)]!;
}

/** Share of common word pieces, 0 to 1. White space does not count: it is what models most often get wrong. */
function likeness(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  if (one.size === 0 || two.size === 0) return 0;
  let common = 0;
  for (const piece of one) if (two.has(piece)) common++;
  return (2 * common) / (one.size + two.size);
}

function pieces(line: string): Set<string> {
  const packed = line.slice(0, 400).replace(/\s+/g, "");
  if (packed.length < 2) return new Set(packed);
  return new Set(Array.from({ length: packed.length - 1 }, (_, i) => packed.slice(i, i + 2)));
}

const MAX_LINES = 20_000;
const MAX_SHOWN = 6;
/** A help is not worth waiting for. */
const TIME_LIMIT_MS = 100;

/** Where the file comes nearest to a text that is not in it: the line that starts most like its first line, with what follows. */
export function closest(text: string, wanted: string): string {
  const lines = firstLines(text);
  const target = wanted.split(/\r?\n/);
  const first = target.find((line) => line.trim() !== "");
  if (first === undefined) return "";
  const skipped = target.indexOf(first);

  let best = { at: -1, score: 0 };
  const wantedPieces = pieces(first);
  const until = performance.now() + TIME_LIMIT_MS;
  for (let at = 0; at < lines.length && performance.now() < until; at++) {
    const score = likeness(pieces(lines[at]!), wantedPieces);
    if (score > best.score) best = { at, score };
    if (best.score === 1) break;
  }
  if (best.score < 0.4) return " Nothing in it looks alike; read the file first.";
  const from = Math.max(0, best.at - skipped);
  const shown = lines.slice(from, from + Math.min(target.length, MAX_SHOWN)).map((line, n) => `${from + n + 1}\t${line.slice(0, 200)}`);
  return ` The closest place is line ${from + 1}:\n${shown.join("\n")}`;
}

/** Without splitting the rest: the file may be long. */
function firstLines(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from <= text.length && lines.length < MAX_LINES; ) {
    const end = text.indexOf("\n", from);
    lines.push(text.slice(from, end === -1 ? undefined : end).replace(/\r$/, ""));
    if (end === -1) break;
    from = end + 1;
  }
  return lines;
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

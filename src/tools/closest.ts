const MAX_LINES = 20_000;
const MAX_SHOWN = 6;

/** Where the file comes nearest to a text that is not in it: the line that starts most like its first line, with what follows. */
export function closest(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/).slice(0, MAX_LINES);
  const target = wanted.split(/\r?\n/);
  const first = target.find((line) => line.trim() !== "");
  if (first === undefined) return "";
  const skipped = target.indexOf(first);

  let best = { at: -1, score: 0 };
  for (let at = 0; at < lines.length; at++) {
    const score = likeness(lines[at]!, first);
    if (score > best.score) best = { at, score };
    if (best.score === 1) break;
  }
  if (best.score < 0.4) return " Nothing in it looks alike; read the file first.";
  const from = Math.max(0, best.at - skipped);
  const shown = lines.slice(from, from + Math.min(target.length, MAX_SHOWN)).map((line, n) => `${from + n + 1}\t${line.slice(0, 200)}`);
  return ` The closest place is line ${from + 1}:\n${shown.join("\n")}`;
}

/** Share of common word pieces, 0 to 1. White space does not count: it is what models most often get wrong. */
function likeness(a: string, b: string): number {
  const one = pieces(a);
  const two = pieces(b);
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

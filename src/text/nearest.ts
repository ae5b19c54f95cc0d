/** The names close enough to a mistyped one to be worth suggesting, best first. */
export function nearest(word: string, names: Iterable<string>, most = 3): string[] {
  const wanted = word.trim().toLowerCase().slice(0, 64);
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const known = name.toLowerCase();
    const contained = wanted.length >= 3 && (known.includes(wanted) || wanted.includes(known));
    const score = contained ? 1 : distance(wanted, known);
    if (score <= Math.max(wanted.length <= 4 ? 1 : 2, Math.floor(known.length / 3))) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || a.name.localeCompare(b.name))
    .slice(0, most)
    .map(({ name }) => name);
}

/** ` Did you mean "x"?` or nothing, ready to append to a message. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const close = nearest(word, names).map((name) => `"${name}"`);
  if (close.length === 0) return "";
  return ` Did you mean ${close.length === 1 ? close[0] : `${close.slice(0, -1).join(", ")} or ${close.at(-1)}`}?`;
}

/** Edits to turn one word into the other (insert, delete, replace, swap neighbours). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

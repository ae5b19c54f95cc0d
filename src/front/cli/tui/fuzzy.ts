/** Those that hold the letters in their order, best first. Letters that stand together, begin a word or end the path count for more. */
export function rankFuzzy<T>(all: readonly T[], query: string, textOf: (one: T) => string, most: number): T[] {
  const wanted = query.toLowerCase();
  if (wanted === "") return all.slice(0, most);
  const found: { readonly one: T; readonly score: number }[] = [];
  for (const one of all) {
    const score = scoreOf(textOf(one), wanted);
    if (score > 0) found.push({ one, score });
  }
  return found
    .sort((a, b) => b.score - a.score || textOf(a.one).length - textOf(b.one).length)
    .slice(0, most)
    .map(({ one }) => one);
}

const EXACT = 1000;
const IN_NAME = 500;
const BEGINS_WORD = 8;
const TOGETHER = 5;

/** 0 where the letters are not there. */
function scoreOf(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  const whole = lower.lastIndexOf(wanted);
  if (whole !== -1) return EXACT + (whole > lower.lastIndexOf("/") ? IN_NAME : 0) + (isWordStart(text, whole) ? BEGINS_WORD : 0);
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, at + 1);
    if (next === -1) return 0;
    score += 1 + (next === at + 1 ? TOGETHER : 0) + (isWordStart(text, next) ? BEGINS_WORD : 0);
    at = next;
  }
  return score;
}

const isWordStart = (text: string, at: number): boolean =>
  at === 0 || /[/_.\-\s]/.test(text[at - 1]!) || (/[a-z]/.test(text[at - 1]!) && /[A-Z]/.test(text[at]!));

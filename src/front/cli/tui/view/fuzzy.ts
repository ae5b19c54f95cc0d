const WORD_START = 8;
const NEXT = 5;
const NAME = 6;
/** For each letter, where all stand together. */
const WHOLE = 12;
/** Longer texts are compared by their beginning. */
const LONGEST = 500;

/** How well a text matches. Null if not all letters of the query occur in this order. Case and blanks in the query are ignored. */
function scoreMatch(query: string, text: string): number | null {
  const wanted = [...query.toLowerCase()].filter((char) => char.trim() !== "");
  const lower = text.slice(0, LONGEST).toLowerCase();
  if (wanted.length === 0) return 0;
  // Where letters grow when they are made small, places would not be those of the text.
  if (lower.length !== Math.min(text.length, LONGEST)) return lower.includes(wanted.join("")) ? 1 : null;
  const whole = lower.lastIndexOf(wanted.join(""));
  const places = whole === -1 ? scattered(wanted, lower) : wanted.map((_, n) => whole + n);
  if (places === null) return null;
  return scoreOf(places, lower) + (whole === -1 ? 0 : WHOLE * wanted.length) - lower.length / 50;
}

/** From the last letter backwards: what stands at the end of a path is meant more often than its folders. */
function scattered(wanted: readonly string[], text: string): number[] | null {
  const places: number[] = [];
  let before = text.length;
  for (const char of [...wanted].reverse()) {
    const at = before === 0 ? -1 : text.lastIndexOf(char, before - 1);
    if (at === -1) return null;
    places.unshift(at);
    before = at;
  }
  return places;
}

function scoreOf(places: readonly number[], text: string): number {
  const name = text.lastIndexOf("/") + 1;
  return places.reduce((sum, at, n) => {
    const isStart = at === 0 || /[\s/_.:-]/.test(text[at - 1]!);
    const isNext = n > 0 && places[n - 1] === at - 1;
    return sum + 1 + (isStart ? WORD_START : 0) + (isNext ? NEXT : 0) + (at >= name ? NAME : 0);
  }, 0);
}

/** Those that fit, best first; equals stay in their order. */
export function searchFuzzily<T>(query: string, all: readonly T[], textOf: (one: T) => string, most = Number.POSITIVE_INFINITY): T[] {
  if (query.trim() === "") return all.slice(0, most);
  return all
    .flatMap((one) => {
      const score = scoreMatch(query, textOf(one));
      return score === null ? [] : [{ one, score }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}

const OTHER_LETTER = 1;
const DIGIT = 2;
const SMALL_HEX = 4;
const CAPITAL_HEX = 8;
/** What a character may be part of. 0: no word. */
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) CLASSES[code] = classOf(String.fromCharCode(code));

function classOf(char: string): number {
  if (/\d/.test(char)) return DIGIT;
  if (/[a-f]/.test(char)) return SMALL_HEX;
  if (/[A-F]/.test(char)) return CAPITAL_HEX;
  return /\w/.test(char) ? OTHER_LETTER : 0;
}

function classAt(text: string, at: number): number {
  const code = at < text.length ? text.charCodeAt(at) : 0;
  return code < 128 ? CLASSES[code]! : 0;
}

/** How ids look in hexadecimal, as in `template.ts`: how long they are, and what follows in a UUID. */
const SMALL = { fewest: 6, rest: /(?:-[\da-f]{4,12}){1,4}\b/y };
const CAPITAL = { fewest: 8, rest: /(?:-[\dA-F]{4,12}){1,4}\b/y };

/**
 * A number for a line with gaps for what varies: the same for lines that say the same, and only for them as far as 53 bits can tell. A gap ends with its `words`, as in a
 * template (`template.ts`), or with its `digits`, so that `test1a` and `test1b` stay two. Written out, because it is made of every line of a log and of a giant,
 * and a text for each of them takes many times as long.
 */
export function hashShape(text: string, gaps: "words" | "digits"): number {
  let low = 0x811c9dc5;
  let high = 7;
  for (let at = 0; at < text.length; ) {
    const from = at;
    const lowBefore = low;
    const highBefore = high;
    let classes = 0;
    let isGap = false;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? CLASSES[code]! : 0;
      if (kind === 0 && at > from) break;
      classes |= kind;
      if (isGap && (gaps === "words" || kind === DIGIT)) continue;
      isGap = kind === DIGIT;
      low = Math.imul(low ^ (isGap ? GAP : code), 0x01000193);
      high = Math.imul(high + (isGap ? GAP : code), 0x85ebca6b) ^ (high >>> 13);
      if (kind === 0) break;
    }
    if (classes === 0) at++;
    const letters = (classes & ~(DIGIT | SMALL_HEX)) === 0 ? SMALL : (classes & ~(DIGIT | CAPITAL_HEX)) === 0 ? CAPITAL : null;
    const isShortId = gaps === "digits" && (classes & DIGIT) !== 0;
    if (letters && (at - from >= letters.fewest || isShortId)) {
      low = Math.imul(lowBefore ^ GAP, 0x01000193);
      high = Math.imul(highBefore + GAP, 0x85ebca6b) ^ (highBefore >>> 13);
      if (at - from >= letters.fewest) at = endOfUuid(text, at, letters.rest);
    } else if (isGap && gaps === "words") at = endOfPoints(text, at);
  }
  return (low >>> 0) * 0x200000 + (high >>> 11);
}

/** Stands for what varies, as in a template. */
const GAP = 0;
const HYPHEN = 45;
const POINT = 46;

/** Behind all of `10.0.3.7`. */
function endOfPoints(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) === POINT && classAt(text, at + 1) === DIGIT) for (at++; classAt(text, at) !== 0; ) at++;
  return at;
}

function endOfUuid(text: string, at: number, rest: RegExp): number {
  if (at === text.length || text.charCodeAt(at) !== HYPHEN) return at;
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : at;
}

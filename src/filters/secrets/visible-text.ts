/** A text without what a terminal does not print, and the way back to the text it was made from. */
export interface VisibleText {
  readonly text: string;
  /** Where a character of `text` stands in the original. */
  origin(at: number): number;
}

/**
 * What may stand inside a value and is not seen there: control sequences and strings (CSI, OSC, DCS), other escapes, control characters
 * but for tab and line ends, characters without width. Whatever removes them later must not make a secret appear.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])([^\x00-\x1f\x7f-\x9f]{0,4096})(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,8}[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060-\u2064\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject
const ANY_UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060-\u2064\ufeff]/;

/** The text as it is seen, and, when it hides strings such as titles and link targets, these strings one a line. */
export function visibleTexts(raw: string): readonly VisibleText[] {
  if (!ANY_UNSEEN.test(raw)) return [{ text: raw, origin: (at) => at }];
  const seen = new Pieces(raw);
  const hidden = new Pieces(raw);
  let from = 0;
  UNSEEN.lastIndex = 0;
  for (let match = UNSEEN.exec(raw); match; match = UNSEEN.exec(raw)) {
    seen.add(from, match.index);
    from = UNSEEN.lastIndex;
    if (match[1]) hidden.addLine(match.index + match[0].indexOf(match[1]), match[1].length);
  }
  seen.add(from, raw.length);
  return hidden.empty ? [seen.plain()] : [seen.plain(), hidden.plain()];
}

const MOST_PARTS = 100_000;

/** Parts of a text, put together. */
class Pieces {
  readonly #raw: string;
  #parts: string[] = [];
  /** Where each part starts: in the text put together, and in the original. */
  readonly #here = new Offsets();
  readonly #there = new Offsets();
  #length = 0;

  constructor(raw: string) {
    this.#raw = raw;
  }

  get empty(): boolean {
    return this.#length === 0;
  }

  add(start: number, end: number): void {
    if (end <= start) return;
    this.#here.push(this.#length);
    this.#there.push(start);
    this.#parts.push(this.#raw.slice(start, end));
    // Millions of tiny texts take many times the memory of one.
    if (this.#parts.length === MOST_PARTS) this.#parts = [this.#parts.join("")];
    this.#length += end - start;
  }

  addLine(start: number, length: number): void {
    this.add(start, start + length);
    this.#parts.push("\n");
    this.#length++;
  }

  plain(): VisibleText {
    const here = this.#here;
    const there = this.#there;
    return { text: this.#parts.join(""), origin: (at) => (here.length === 0 ? at : originOf(at, here, there)) };
  }
}

/** A list of numbers in half the memory: there may be one for each character of a text. */
class Offsets {
  #values = new Uint32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(n: number): number {
    return this.#values[n]!;
  }
}

function originOf(at: number, here: Offsets, there: Offsets): number {
  let low = 0;
  let high = here.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (here.at(middle) <= at) low = middle;
    else high = middle - 1;
  }
  return there.at(low) + at - here.at(low);
}

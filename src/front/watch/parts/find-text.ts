import { type Html, html } from "../html.ts";

/** More places are counted and not listed. */
const MOST_PLACES = 10_000;

/** Where a text has a word, whatever its case: the positions of its first letters, and the length there. */
export function findPlaces(text: string, word: string): readonly { readonly at: number; readonly length: number }[] {
  if (word === "") return [];
  const places: { at: number; length: number }[] = [];
  for (const found of text.matchAll(new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "giu"))) {
    places.push({ at: found.index, length: found[0].length });
    if (places.length === MOST_PLACES) break;
  }
  return places;
}

/** A part of a text with its places marked. `first` is the number of the first place in it: each mark can be linked to as `#m1`. */
export function markedText(part: string, word: string, first: number): Html {
  const places = findPlaces(part, word);
  let from = 0;
  const pieces = places.map(({ at, length }, n) => {
    const before = part.slice(from, at);
    from = at + length;
    return html`${before}<mark id="m${first + n}">${part.slice(at, from)}</mark>`;
  });
  return html`${pieces}${part.slice(from)}`;
}

/** The line a position is in, counted from 1, and a short piece of it around the position. */
export function lineAround(text: string, at: number, lineNumber: number, most: number): { readonly line: number; readonly text: string } {
  const begin = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  const whole = text.slice(begin, end === -1 ? undefined : end);
  const from = Math.max(0, at - begin - Math.floor(most / 3));
  return { line: lineNumber, text: `${from > 0 ? "…" : ""}${whole.slice(from, from + most)}${whole.length > from + most ? "…" : ""}` };
}

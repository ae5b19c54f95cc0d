import { readPiece, type TimeWords } from "./vocabulary.ts";

/** Reads words one after the other; every word must mean something, and no two the same thing. */
export function readWords(text: string): TimeWords | { readonly refused: string } {
  const words = wordsOf(text);
  let said: TimeWords = {};
  for (let at = 0; at < words.length; ) {
    if (FILLERS.has(words[at]!)) {
      at += 1;
      continue;
    }
    const found = readPiece(words, at, said);
    if (!found) return { refused: `"${words.slice(at, at + (HEADS.get(words[at]!) ?? 1)).join(" ")}" was not understood` };
    const twice = (Object.keys(found.piece) as (keyof TimeWords)[]).find((key) => said[key] !== undefined && !MAY_REPEAT.has(key));
    if (twice !== undefined) return { refused: `"${words[at]}" says a second time what was said before it` };
    said = merged(said, found.piece);
    at += found.length;
  }
  return Object.keys(said).length === 0 ? { refused: "nothing in it says when" } : said;
}

/** Words that say nothing without those that follow. */
const HEADS = new Map([
  ["next", 2],
  ["in", 3],
]);
const FILLERS = new Set(["at", "on", "the", "of", "and", "by", "around", "o'clock", "this", "coming", "please", "then"]);
const MAY_REPEAT = new Set<keyof TimeWords>(["again", "weekdays", "times", "next"]);

const merged = (said: TimeWords, piece: TimeWords): TimeWords => ({
  ...said,
  ...piece,
  ...(said.weekdays && piece.weekdays && { weekdays: [...said.weekdays, ...piece.weekdays] }),
  ...(said.times && piece.times && { times: [...said.times, ...piece.times] }),
});

/** "9am" is two words, a comma is none. */
const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(/,/g, " ")
    .replace(/\b(\d{1,2}(?:[:.]\d{2})?)\s?([ap])\.?m\b\.?/g, "$1 $2m")
    .split(/\s+/)
    .map((word) => word.replace(/[.!]$/, ""))
    .filter((word) => word !== "");

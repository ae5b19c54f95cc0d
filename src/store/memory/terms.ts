import { MOST_RANKED } from "./queries.ts";

/** A search with more words than these is a text, not a search. */
const MOST_TERMS = 32;
/** Of them so many are looked for, the rarest. */
const MOST_CHOSEN = 12;
const LONGEST_TERM = 64;
const LONGEST_QUERY = 10_000;

/** The words of any text a person or a model may type. Nothing else of it reaches the index. */
export function searchTerms(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [term] of text
    .slice(0, LONGEST_QUERY)
    .toWellFormed()
    .matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    terms.add([...term.toLowerCase()].slice(0, LONGEST_TERM).join(""));
    if (terms.size === MOST_TERMS) break;
  }
  return [...terms];
}

/** A word that is everywhere says nothing and costs the most, so the rarest are taken, and others while there are not too many rows. */
export function chooseRarest(terms: readonly { readonly term: string; readonly rows: number }[]): Chosen {
  const chosen: string[] = [];
  let rows = 0;
  for (const one of terms.filter((term) => term.rows > 0).sort((a, b) => a.rows - b.rows)) {
    if (chosen.length === MOST_CHOSEN || (chosen.length > 0 && rows + one.rows > MOST_RANKED)) break;
    rows += one.rows;
    chosen.push(one.term);
  }
  return { chosen, rows, isCommon: rows >= MOST_RANKED && chosen.length === 1 };
}
interface Chosen {
  readonly chosen: readonly string[];
  /** How many rows have one of the words, or more than there are. */
  readonly rows: number;
  /** Even the rarest word is in so many rows that they are not worth ranking. */
  readonly isCommon: boolean;
}

/** The index takes what stands between two spaces for a word, and these scripts have no spaces. */
export const isUnspaced = (term: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(term);

/** What is looked for row by row. */
export const termPieces = (terms: readonly string[]): readonly string[] => terms.flatMap(pieces).slice(0, MOST_TERMS);

function pieces(term: string): readonly string[] {
  if (!isUnspaced(term)) return [term];
  const letters = [...term];
  return letters.length < 3 ? [term] : letters.slice(1).map((letter, index) => letters[index]! + letter);
}

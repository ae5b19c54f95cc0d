import { cosine, type Embedder } from "../../core/ports/embedder.ts";
import { answerInTime } from "../../text/wait-within.ts";

/** The words of a goal, each with how much it says, and the beginnings by which a name in code may stand for one (`auth`, `config`). */
export interface Terms {
  readonly weights: ReadonlyMap<string, number>;
  readonly beginnings: ReadonlyMap<string, string>;
}

/** A word that means this goal and hardly another; and one that stands in most goals. */
const TELLING = 0.7;
const GENERAL = 0.3;
/** How soon more of the same word says nothing new. */
const SATURATION = 0.2;

export function termsOf(goal: string): Terms {
  const all = [...new Set(wordsOf(goal.slice(0, MOST_GOAL)))].filter((word) => !SILENT.has(word));
  const hasTelling = all.some((word) => !COMMON.has(word));
  const weights = new Map(all.slice(0, MOST_TERMS).map((word) => [word, hasTelling && COMMON.has(word) ? GENERAL : TELLING]));
  const telling = [...weights.keys()].filter((word) => isTelling(word));
  return { weights, beginnings: new Map(telling.flatMap((word) => beginningsOf(word).map((beginning) => [beginning, word]))) };
}

/** An abbreviation leaves out much: `long` is none of "longer". */
const SHORTEST_BEGINNING = 4;
const LONGEST_BEGINNING = 8;
const LEFT_OUT = 4;
const isTelling = (word: string) => word.length >= SHORTEST_BEGINNING && !COMMON.has(word) && !SILENT.has(word);

function beginningsOf(word: string): readonly string[] {
  const longest = Math.min(word.length - LEFT_OUT, LONGEST_BEGINNING);
  const all = Array.from({ length: Math.max(0, longest - SHORTEST_BEGINNING + 1) }, (_, n) => word.slice(0, SHORTEST_BEGINNING + n));
  return all.filter(isTelling);
}

/** The word of the goal that a word of the text is, abbreviates, or is abbreviated by. */
function termFor(word: string, { weights, beginnings }: Terms): string | undefined {
  if (weights.has(word)) return word;
  const longer = beginnings.get(word);
  if (longer !== undefined || !isTelling(word)) return longer;
  for (let length = Math.min(word.length - LEFT_OUT, LONGEST_BEGINNING); length >= SHORTEST_BEGINNING; length--) {
    const shorter = word.slice(0, length);
    if (weights.has(shorter) && isTelling(shorter)) return shorter;
  }
  return undefined;
}

/**
 * How much a text has to do with a goal, from 0 to 1, by its words: 1 - (1 - w1)(1 - w2)…, where each word of the goal that is there brings
 * w = weight · n / (n + 0.2) for n occurrences, as BM25 lets repetition count less and less. One telling word is 0.58, two are 0.83; a general word is
 * 0.25, so it takes three of them. How often a word is in the rest of the output does not count: a search for the very word would find nothing else.
 */
export function relevance(text: string, terms: Terms): number {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) {
    const term = termFor(word, terms);
    if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  let missing = 1;
  for (const [word, n] of counts) missing *= 1 - (terms.weights.get(word)! * n) / (n + SATURATION);
  return 1 - missing;
}

/** More sections than this are judged by their words alone. */
const MOST_EMBEDDED = 64;
const MOST_CHARACTERS = 1_000;
const PATIENCE_MS = 1_500;
const REST_MS = 60_000;
/** The similarity up to which vectors are of unrelated texts, and from which on they are about one thing. */
const UNRELATED = 0.15;
const RELATED = 0.55;

/** The relevance of each text. Vectors, where they come in time, can only add to what the words say: a text that names the goal is about it. */
export async function relevances(
  texts: readonly string[],
  goal: string,
  vectors: Vectors | null,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const terms = termsOf(goal);
  const byWords = texts.map((text) => relevance(text, terms));
  const made = vectors && texts.length <= MOST_EMBEDDED ? await vectors([goal, ...texts], signal) : null;
  if (!made) return byWords;
  const [wanted, ...found] = made;
  return byWords.map((score, n) => Math.max(score, stretched(cosine(wanted!, found[n]!))));
}

const stretched = (alike: number) => Math.min(1, Math.max(0, (alike - UNRELATED) / (RELATED - UNRELATED)));

/** A vector for each text; null when they do not come. */
export type Vectors = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[] | null>;

/** Asks an embedder and does not wait long for it. One that failed is left alone for a while, so that not every output waits. */
export function createVectors(embedder: () => Promise<Embedder | null>): Vectors {
  let restsUntil = 0;
  return async (texts, signal) => {
    if (Date.now() < restsUntil) return null;
    const short = texts.map((text) => text.slice(0, MOST_CHARACTERS));
    const made = await answerInTime(async (limit) => (await (await embedder())?.embed(short, limit)) ?? null, PATIENCE_MS, signal);
    if (made?.length !== texts.length && !signal.aborted) restsUntil = Date.now() + REST_MS;
    return made?.length === texts.length ? made : null;
  };
}

const MOST_GOAL = 10_000;
const MOST_TERMS = 100;
const WORD = /[\p{Lu}]?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+(?![\p{Ll}])|\d{3,}/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;

/** The words of a text or of code: `retryPayment`, `retry_payment` and "retries the payment" have the same ones. */
function wordsOf(text: string): readonly string[] {
  return (text.match(WORD) ?? []).flatMap((found) => {
    const word = found.toLowerCase();
    // Writings without blanks between words: every two signs.
    if (UNSPACED.test(word)) return word.length < 2 ? [] : Array.from({ length: word.length - 1 }, (_, n) => word.slice(n, n + 2));
    return word.length < 3 ? [] : [stem(word)];
  });
}

/** So much that "retries", "retried" and "retrying" meet; it need not be a word. */
function stem(word: string): string {
  const bare = word.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|ed|es|s|e)$/, "");
  return bare.length < 3 ? word : bare;
}

const listed = (words: string) => new Set(words.split(/\s+/).filter(Boolean).map(stem));
const SILENT = listed(`the and for with that this from into not are was were has have had its our your you they them their will would should
  could can may must what which when where why how who whom all any each every some such than then there these those about after before
  again also only other out over own same too very just but because between both during here more most once until while does did doing
  been being one two please let via per`);
const COMMON =
  listed(`add fix change make use find file code test error bug issue problem function class method run new work update implement
  create remove delete project data line value name type set get list string number option support write read check build way show
  call result output input command folder directory module package version config setting start stop end first last next time user
  log message text page page return import export const variable object key feature task goal step improve ensure need look`);

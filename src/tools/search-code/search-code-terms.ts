/** One thing a query asks for: a word of it, or a whole identifier that consists of several. */
export interface Term {
  /** As the query has it, in small letters. */
  readonly word: string;
  readonly stem: string;
  /** The words it is made of; one for a plain word. */
  readonly parts: readonly string[];
}

const MOST_TERMS = 16;
const WORD = /[\p{L}\p{N}\p{M}_$]+/gu;
/** Words of a question, not of what is asked about. */
const IDLE = new Set(
  "a an and any are as at be by can code do does done find for from get has have how i if in into is it its of on or that the their then there this to use used was we what when where which who why with".split(
    " ",
  ),
);

/** The terms of a query, each once, in the order of the query. Words that carry nothing go, unless there is nothing else. */
export function queryTerms(query: string): readonly Term[] {
  const written = identifiersIn(query.normalize("NFC")).map(partsOf);
  const telling = written.filter(([first, second]) => first !== undefined && (second !== undefined || isTelling(first)));
  const terms = (telling.length > 0 ? telling : written).flatMap(readAs);
  return [...new Map(terms.map((term) => [term.stem, term])).values()].slice(0, MOST_TERMS);
}

const isTelling = (word: string) => !IDLE.has(word) && !/^[a-z\d]$/.test(word);

/** `openFile` asks for the whole name before its words. */
function readAs(parts: readonly string[]): Term[] {
  const words = parts.map((word): Term => ({ word, stem: stemOf(word), parts: [word] }));
  if (parts.length < 2) return words;
  const whole = parts.join("");
  return [{ word: whole, stem: stemOf(whole), parts }, ...words.filter(({ word }) => isTelling(word))];
}

export const identifiersIn = (text: string): readonly string[] => text.match(WORD) ?? [];

/** `parseHTTPHeader_v2` is parse, http, header, v2. */
export const partsOf = (identifier: string): string[] =>
  identifier
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1_")
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1_")
    .split(/[_$]+/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());

/** A regular expression for lines that may hold one of the terms. Terms are letters and digits only; the escape keeps it true. */
export const patternOf = (terms: readonly Term[]): string => terms.map(formsOf).join("|");

function formsOf({ word, parts }: Term): string {
  if (parts.length > 1) return parts.map(escaped).join("[_-]?");
  if (/^[a-z\d]$/.test(word)) return `\\b${word}\\b`;
  const base = withoutSuffix(word);
  const head = escaped(base.slice(0, -1));
  if (base.length > 3 && base.endsWith("e")) return `${head}(?:e|ing)`;
  if (base.length > 3 && base.endsWith("y")) return `${head}(?:y|ie)`;
  return escaped(base);
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** retry, retries, retried and retrying have one stem. It need not be a word. */
export function stemOf(word: string): string {
  const base = withoutSuffix(word);
  if (base.length > 3 && base.endsWith("e")) return base.slice(0, -1);
  return base.length > 3 && base.endsWith("y") ? `${base.slice(0, -1)}i` : base;
}

function withoutSuffix(word: string): string {
  if (/.{2}(?:ies|ied)$/.test(word)) return `${word.slice(0, -3)}y`;
  const verb = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(word)?.[1];
  if (verb !== undefined && verb.length > 2 && !word.endsWith("eed")) return /([^aeiouylsfz])\1$/.test(verb) ? verb.slice(0, -1) : verb;
  return /.{2}[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}

/** How well an identifier answers each term, from 0 to 1. Identifiers come again and again, so what was found out is kept. */
export function weigher(terms: readonly Term[]): (identifier: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  return (identifier) => {
    const before = known.get(identifier);
    if (before) return before;
    const parts = partsOf(identifier);
    const words = parts.length > 1 ? [...parts, parts.join("")] : parts;
    const stems = words.map(stemOf);
    const weights = terms.map((term) => words.reduce((best, word, n) => Math.max(best, likeness(word, stems[n]!, term)), 0));
    known.set(identifier, weights);
    return weights;
  };
}

const BEGINS = 0.5;
const HOLDS = 0.15;

function likeness(found: string, foundStem: string, { word, stem }: Term): number {
  if (found === word || foundStem === stem) return 1;
  // Two letters begin half of all words.
  if (/^[a-z\d]{1,2}$/.test(word)) return 0;
  if (found.startsWith(word)) return BEGINS;
  return found.includes(word) ? HOLDS : 0;
}

import { withIndexRepair } from "../sqlite/index-repair.ts";
import type { Sqlite, Statement } from "../sqlite/sqlite.ts";
import { type IndexedPlace, MOST_RANKED, QUICK } from "./queries.ts";

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

export interface FoundWords {
  readonly rows: readonly Record<string, unknown>[];
  /** The index was of no use and could not be repaired, so only the newest rows were read. */
  readonly broken: boolean;
}
type Values = readonly [limit: number, workspace: string, except?: string | null];

/** Finds rows by words, best first. */
export function createWordSearch(
  db: Sqlite,
  { index, quick, thorough, containing }: IndexedPlace,
): (text: string, ...values: Values) => FoundWords {
  const [ranked, judged, contain] = [quick, thorough, containing].map((sql) => db.statement(sql)) as [Statement, Statement, Statement];
  const count = db.statement(`select count(*) as n from (select 1 from ${index} where ${index} match ? limit ${MOST_RANKED})`);
  const byIndex = (terms: readonly string[], values: Values) => {
    const counted = terms.map((term) => ({ quoted: `"${term}"`, rows: count.get(`"${term}"`)!.n as number }));
    const { query, rows, isCommon } = rarest(counted.filter(({ rows }) => rows > 0));
    if (query === "") return [];
    const best = isCommon ? [] : ranked.all(query, true, ...values);
    const isAll = !isCommon && (rows <= QUICK || best.length === values[0]);
    return isAll ? best : judged.all(query, !isCommon, ...values);
  };
  return (text, ...values) => {
    const terms = searchTerms(text);
    if (terms.length === 0) return { rows: [], broken: false };
    const rowByRow = () => contain.all(JSON.stringify(terms.flatMap(pieces).slice(0, MOST_TERMS)), true, ...values);
    if (terms.some(isUnspaced)) return { rows: rowByRow(), broken: false };
    try {
      return { rows: withIndexRepair(db, index, () => byIndex(terms, values)), broken: false };
    } catch {
      return { rows: rowByRow(), broken: true };
    }
  };
}

/** A word that is everywhere says nothing and costs the most, so the rarest are taken, and others while there are not too many rows. */
function rarest(terms: readonly { readonly quoted: string; readonly rows: number }[]): Chosen {
  const chosen: string[] = [];
  let rows = 0;
  for (const term of terms.toSorted((a, b) => a.rows - b.rows)) {
    if (chosen.length === MOST_CHOSEN || (chosen.length > 0 && rows + term.rows > MOST_RANKED)) break;
    rows += term.rows;
    chosen.push(term.quoted);
  }
  return { query: chosen.join(" OR "), rows, isCommon: rows >= MOST_RANKED && chosen.length === 1 };
}
interface Chosen {
  readonly query: string;
  /** How many rows have one of its words, or more than there are. */
  readonly rows: number;
  /** Even the rarest word is in so many rows that they are not worth ranking. */
  readonly isCommon: boolean;
}

/** The index takes what stands between two spaces for a word, and these scripts have no spaces. */
const isUnspaced = (term: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(term);

function pieces(term: string): readonly string[] {
  if (!isUnspaced(term)) return [term];
  const letters = [...term];
  return letters.length < 3 ? [term] : letters.slice(1).map((letter, index) => letters[index]! + letter);
}

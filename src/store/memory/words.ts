import { withIndexRepair } from "../sqlite/index-repair.ts";
import type { Sqlite, Statement } from "../sqlite/sqlite.ts";
import { type IndexedPlace, MOST_RANKED, QUICK } from "./queries.ts";
import { chooseRarest, isUnspaced, searchTerms, termPieces } from "./terms.ts";

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
    const counted = terms.map((term) => ({ term, rows: count.get(`"${term}"`)!.n as number }));
    const { chosen, rows, isCommon } = chooseRarest(counted);
    if (chosen.length === 0) return [];
    const query = chosen.map((term) => `"${term}"`).join(" OR ");
    const best = isCommon ? [] : ranked.all(query, true, ...values);
    const isAll = !isCommon && (rows <= QUICK || best.length === values[0]);
    return isAll ? best : judged.all(query, !isCommon, ...values);
  };
  return (text, ...values) => {
    const terms = searchTerms(text);
    if (terms.length === 0) return { rows: [], broken: false };
    const rowByRow = () => contain.all(JSON.stringify(termPieces(terms)), true, ...values);
    if (terms.some(isUnspaced)) return { rows: rowByRow(), broken: false };
    try {
      return { rows: withIndexRepair(db, index, () => byIndex(terms, values)), broken: false };
    } catch {
      return { rows: rowByRow(), broken: true };
    }
  };
}

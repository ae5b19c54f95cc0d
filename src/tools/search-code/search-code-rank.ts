import type { SearchMatch } from "../../core/ports/host.ts";
import { createPace } from "../../text/pace.ts";
import { isGenerated, pathStanding } from "./search-code-paths.ts";
import type { CodeSection } from "./search-code-symbols.ts";
import { identifiersIn, partsOf, patternOf, type Term, weigher } from "./search-code-terms.ts";
import type { Candidate, Text } from "./search-code-text.ts";

export interface RankedPlace {
  readonly path: string;
  readonly line: number;
  readonly symbol: string | null;
  readonly score: number;
  readonly text: Text;
  readonly section: CodeSection;
}

/** BM25: how soon a term that comes again stops counting, and how much length counts against a text. */
const K1 = 1.2;
const B = 0.4;
/** What is called by the words of the query is defined there: that outweighs any number of uses. */
const DEFINED = 2;
const OF_NAME = 4;
const OF_FILE_NAME = 3;
const OF_FOLDER = 0.5;
const OF_IMPORT = 0.2;
/** A section is helped by the file around it. */
const OF_FILE = 0.4;
/** Each further place in one file counts less, so that a list shows more than one file. */
const AGAIN = 0.75;
const LONG_LINE = 500;
const MACHINE_MADE = 0.3;
const IMPORT = /^\s*(?:import|from|use|using|require|#\s*include|package)\b|^\s*\}?\s*from\s+["']|\brequire\(/;

type Counts = readonly number[];

/** Ranks by what was asked for, files first and then places in the best of them. */
export function createRanking(terms: readonly Term[], frequent: readonly Term[]) {
  const weigh = weigher(terms);
  const asked = new RegExp(patternOf(terms), "iu");
  const stems = new Set(terms.map(({ stem }) => stem));
  const nothing: Counts = terms.map(() => 0);
  let rarity: Counts = terms.map(() => 1);

  const shown = (line: string) => around(line, asked);
  const counted = (text: string, share: number): Counts => {
    const counts = terms.map(() => 0);
    for (const word of identifiersIn(text)) {
      const weights = weigh(word);
      for (let n = 0; n < counts.length; n++) counts[n]! += weights[n]! * share;
    }
    return counts;
  };
  const inLine = (line: string): Counts => {
    const text = shown(line);
    return asked.test(text) ? counted(text, IMPORT.test(text) ? OF_IMPORT : 1) : nothing;
  };
  const inPath = (path: string): Counts => {
    const at = path.lastIndexOf("/") + 1;
    return plus(counted(path.slice(at), OF_FILE_NAME), counted(path.slice(0, at), OF_FOLDER), 1);
  };
  /** The more of the query a name answers, and the less else it says, the more likely it is what was meant. */
  const defines = (name: string | null): number => {
    const words = identifiersIn(name ?? "");
    const weights = words.reduce((all, word) => highest(all, weigh(word)), nothing);
    const answered = sum(weights.map((weight, n) => weight * rarity[n]!));
    const coverage = Math.min(1, sum(weights) / Math.max(1, words.flatMap(partsOf).length));
    return (((DEFINED * answered * answered) / sum(rarity)) * (1 + coverage)) / 2;
  };
  const bm25 = (counts: Counts) => counts.reduce((sum, count, n) => sum + (rarity[n]! * count * (K1 + 1)) / (K1 + count), 0);

  /** Files, best first. From here on rare terms count more than frequent ones. */
  const files = async (found: ReadonlyMap<string, readonly SearchMatch[]>): Promise<readonly Candidate[]> => {
    const seen = await inTurns([...found], ([path, matches]) => ({
      path,
      matches,
      lines: matches.reduce((sum, { text }) => plus(sum, inLine(text), 1), nothing),
      name: inPath(path),
      // The last match tells how long the file is at least.
      length: matches.at(-1)!.line,
    }));
    rarity = terms.map((term, n) => {
      const holding = seen.filter(({ lines, name }) => lines[n]! + name[n]! >= 0.5).length;
      return Math.log(1 + seen.length / (frequent.includes(term) ? seen.length : Math.max(1, holding)));
    });
    const usual = mean(seen.map(({ length }) => length));
    return seen
      .map(({ path, matches, lines, name, length }) => ({
        path,
        matches,
        score: bm25(plus(name, lines, 1 / longness(length, usual))) * pathStanding(path, stems),
      }))
      .sort(byScore);
  };

  /** Places, best first. */
  const places = async (texts: readonly Text[]): Promise<readonly RankedPlace[]> => {
    const told = await inTurns(texts, (text) => {
      const { path } = text.file;
      const about = { text, inPath: inPath(path), worth: pathStanding(path, stems), made: isGenerated(text) ? MACHINE_MADE : 1 };
      return text.sections.flatMap((section) => {
        const said = section.lines.map((line) => ({ line, counts: inLine(text.at(line)) })).filter(({ counts }) => sum(counts) > 0);
        return said.length === 0 ? [] : [{ ...about, section, said }];
      });
    });
    const sections = told.flat();
    const usual = mean(sections.map(({ section }) => section.lines.length));
    const ranked = await inTurns(sections, ({ text, inPath, worth, made, section, said }): RankedPlace => {
      const { path, score } = text.file;
      const name = section.name === null ? nothing : counted(section.name, OF_NAME);
      const lines = said.reduce((sum, { counts }) => plus(sum, counts, 1), nothing);
      const own = defines(section.name) + bm25(plus(plus(name, inPath, 1), lines, 1 / longness(section.lines.length, usual)));
      const { line } = most(said, ({ line, counts }) => bm25(line === section.line ? plus(counts, name, 1) : counts));
      const minified = text.at(line).length > LONG_LINE ? MACHINE_MADE : 1;
      return { path, line, symbol: section.symbol, score: (own * worth + OF_FILE * score) * Math.min(made, minified), text, section };
    });
    return spread(ranked.sort(byScore));
  };

  return { files, places, shown };
}

/** As `map`, but others get their turn: there may be much to look at. */
async function inTurns<T, R>(items: readonly T[], act: (item: T) => R): Promise<R[]> {
  const pace = createPace();
  const results: R[] = [];
  for (const item of items) {
    results.push(act(item));
    await pace.step();
  }
  return results;
}

/** A later place in a file that was named already steps back. */
function spread(places: readonly RankedPlace[]): readonly RankedPlace[] {
  const times = new Map<string, number>();
  return places
    .map((place) => {
      const before = times.get(place.path) ?? 0;
      times.set(place.path, before + 1);
      return { ...place, score: place.score * AGAIN ** before };
    })
    .sort(byScore);
}

/** The part of a long line around the first match: most of such a line is not what was meant. */
function around(line: string, asked: RegExp): string {
  if (line.length <= LONG_LINE) return line;
  const from = Math.max(0, (asked.exec(line)?.index ?? 0) - LONG_LINE / 4);
  const to = from + LONG_LINE;
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}

type Ranked = Pick<RankedPlace, "path" | "score"> & Partial<Pick<RankedPlace, "line">>;
const byScore = (a: Ranked, b: Ranked): number =>
  b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.line ?? 0) - (b.line ?? 0));

const longness = (length: number, usual: number) => 1 - B + (B * length) / usual;
const plus = (a: Counts, b: Counts, share: number): Counts => a.map((value, n) => value + b[n]! * share);
const highest = (a: Counts, b: Counts): Counts => a.map((value, n) => Math.max(value, b[n]!));
const sum = (counts: Counts) => counts.reduce((a, b) => a + b, 0);
const mean = (values: Counts) => Math.max(1, sum(values) / Math.max(1, values.length));

/** The first of those that score highest. */
function most<T>(items: readonly T[], score: (item: T) => number): T {
  const scored = items.map((item) => ({ item, score: score(item) }));
  return scored.reduce((a, b) => (b.score > a.score ? b : a)).item;
}

import * as z from "zod";
import { ToolError } from "../core/error.ts";
import type { CodeHit } from "../core/inputs/tool-results.ts";
import { defineOwnTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";
import { type Candidates, candidates } from "./search-code/search-code-find.ts";
import { createRanking, type RankedPlace } from "./search-code/search-code-rank.ts";
import { queryTerms, type Term } from "./search-code/search-code-terms.ts";
import { byPath, textsOf } from "./search-code/search-code-text.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
/** Files that are read to find the places in them; more only where more places are wanted. */
const FILES = 40;
const MAX_TEXT = 12_000;

export const searchCode = defineOwnTool({
  name: "search_code",
  description:
    "Find where something is done in a code base: a few words or an identifier, best places first. For an exact pattern use grep.",
  effect: "reads",
  facets: { answers: "contents", shape: "text", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(500).describe('Words or a name, for example "retry jitter" or "parseHeader"'),
      path: pathArgument("The file or folder to search").optional(),
      limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`Most places to return, up to ${MAX_LIMIT} (${DEFAULT_LIMIT})`),
    }),
  touches: ({ path = "." }) => [{ kind: "path", access: "read", path, searches: true }],
  async run(permit, context) {
    const { query, path = ".", limit = DEFAULT_LIMIT } = permit.input;
    const terms = queryTerms(query);
    if (terms.length === 0) throw new ToolError("invalid_parameters", "The query holds no word. Give words or a name; for signs use grep.");
    const found = await candidates(permit, path, terms, context);
    const { files, places, shown } = createRanking(terms, found.frequent);
    const best = (await files(byPath(found.matches))).slice(0, Math.max(FILES, limit));
    const ranked = await places(await textsOf(permit, best, context));
    const hits = withoutRepeats(ranked, limit, (place) => hitOf(place, shown));
    const words = terms.map(({ word }) => word);
    const notes = notesOf(found);
    const raw = { hits, terms: words, frequent: found.frequent.map(({ word }) => word) };
    if (hits.length === 0) return { text: [`Nothing found for ${words.join(", ")}.`, ...notes].join("\n"), raw };
    const { text, left } = fitted(hits.map(written));
    return {
      text: [text, ...(left > 0 ? [`(${left} more places do not fit; ask for fewer or narrow the path)`] : []), ...notes].join("\n"),
      raw,
      truncated: left > 0,
      locations: hits.slice(0, 20).map(({ path, line }) => ({ path, line })),
    };
  },
});

function hitOf({ path, line, symbol, score, text, section }: RankedPlace, shown: (line: string) => string): CodeHit {
  // A definition is followed by what it does; any other line is clearer with its neighbours.
  const first = line === section.line ? line : line - 1;
  const lines = [first, first + 1, first + 2]
    .map((line) => ({ line, text: shown(text.at(line)).trimEnd() }))
    .filter(({ text }) => text !== "");
  return { path, line, symbol, lines, score: Math.round(score * 1000) / 1000 };
}

/** A hit does not grow beyond this by those beside it. */
const MOST_LINES = 9;

/** The first hits, so many; no line is shown twice. A place whose lines overlap with a better one is shown with it. */
function withoutRepeats(ranked: readonly RankedPlace[], limit: number, hitOf: (place: RankedPlace) => CodeHit): readonly CodeHit[] {
  const hits: CodeHit[] = [];
  /** Which hit shows a line. */
  const owners = new Map<string, number>();
  for (const place of ranked) {
    if (hits.length === limit) break;
    const hit = hitOf(place);
    const owner = (line: number) => owners.get(`${line} ${hit.path}`);
    const fresh = hit.lines.filter(({ line }) => owner(line) === undefined);
    const beside = hit.lines.map(({ line }) => owner(line)).find((at) => at !== undefined);
    const better = beside === undefined ? undefined : hits[beside]!;
    const isMerged = better !== undefined && better.lines.length + fresh.length <= MOST_LINES;
    if (isMerged) hits[beside!] = { ...better, lines: [...better.lines, ...fresh].sort((a, b) => a.line - b.line) };
    else if (better === undefined || fresh.some(({ line }) => line === hit.line)) hits.push({ ...hit, lines: fresh });
    else continue;
    for (const { line } of fresh) owners.set(`${line} ${hit.path}`, isMerged ? beside! : hits.length - 1);
  }
  return hits;
}

const written = ({ path, line, symbol, lines }: CodeHit): string =>
  [`${path}:${line}:${symbol === null ? "" : ` ${symbol}`}`, ...lines.map(({ line, text }) => `  ${line}: ${text}`)].join("\n");

/** The first blocks that fit, at least one. */
function fitted(blocks: readonly string[]): { text: string; left: number } {
  let room = MAX_TEXT;
  const fit = blocks.findIndex((block) => {
    room -= block.length + 1;
    return room < 0;
  });
  const shown = fit === -1 ? blocks : blocks.slice(0, Math.max(1, fit));
  return { text: shown.join("\n"), left: blocks.length - shown.length };
}

const notesOf = ({ frequent, cut, limited }: Candidates): string[] => [
  ...(frequent.length > 0 ? [`(too frequent to be looked up everywhere: ${names(frequent)}; add a rarer word or narrow the path)`] : []),
  ...(cut ? ["(only the places seen first are ranked)"] : []),
  ...(limited ? ["(files that may not be read are not searched)"] : []),
];
const names = (terms: readonly Term[]) => terms.map(({ word }) => word).join(", ");

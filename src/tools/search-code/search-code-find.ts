import type { ApprovedCall } from "../../core/door.ts";
import type { SearchMatch } from "../../core/ports/host.ts";
import type { RunContext } from "../../core/tool.ts";
import { patternOf, type Term } from "./search-code-terms.ts";

/** Lines in which something of the query may stand. */
export interface Candidates {
  readonly matches: readonly SearchMatch[];
  /** Terms of which not all lines were seen. */
  readonly frequent: readonly Term[];
  /** Every term is frequent, and so are even their definitions: other lines might have been as good. */
  readonly cut: boolean;
  readonly limited: boolean;
}

const MOST_MATCHES = 5000;
const MOST_OF_A_TERM = 2000;
/** No further term is looked for alone after this. */
const ENOUGH_MS = 20_000;
const DEFINING = "(?:class|interface|type|enum|struct|trait|impl|module|namespace|def|fn|func|fun|function|const|let|var|define)";

/** One search for all terms. Where that is too much, one for each, and those that stand everywhere say nothing about where to look. */
export async function candidates(
  permit: ApprovedCall,
  path: string,
  terms: readonly Term[],
  { host, signal }: RunContext,
): Promise<Candidates> {
  const grep = (pattern: string, limit: number) =>
    host.search.grep(permit, { pattern, path, caseSensitive: false, context: 0, limit }, signal);
  const all = await grep(patternOf(terms), MOST_MATCHES);
  if (!all.more) return { matches: all.items, frequent: [], cut: false, limited: all.limited };

  const began = Date.now();
  const frequent: Term[] = [];
  const seen: SearchMatch[] = [];
  // Long words are rare ones.
  for (const term of [...terms].sort((a, b) => b.word.length - a.word.length)) {
    const found = Date.now() - began < ENOUGH_MS ? await grep(patternOf([term]), MOST_OF_A_TERM) : null;
    if (found === null || found.more) frequent.push(term);
    else seen.push(...found.items);
  }
  if (seen.length > 0) return { matches: once(seen), frequent, cut: false, limited: all.limited };
  const defined = await grep(`\\b${DEFINING}\\s+\\S{0,40}(?:${patternOf(terms)})`, MOST_MATCHES);
  if (defined.items.length > 0) return { matches: defined.items, frequent, cut: defined.more, limited: all.limited };
  return { matches: all.items, frequent, cut: true, limited: all.limited };
}

/** Each line once, in the order of paths and lines. */
function once(matches: readonly SearchMatch[]): readonly SearchMatch[] {
  const lines = [...new Map(matches.map((match) => [`${match.line} ${match.path}`, match])).values()];
  return lines.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
}

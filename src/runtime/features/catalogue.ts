import { type Catalogue, createCatalogue } from "../../catalog/catalogue.ts";
import type { Dependencies } from "../../catalog/dependencies.ts";
import { openMeaningRanking } from "../../catalog/meaning-ranking.ts";
import { createMixedRanking } from "../../catalog/mixed-ranking.ts";
import { inWords, type OfferReason } from "../../catalog/reason.ts";
import { complexity } from "../../catalog/think-fields.ts";
import { createWordRanking } from "../../catalog/word-ranking.ts";
import type { ToolSpec } from "../../core/ports/model.ts";
import { plural } from "../../text/words.ts";
import { searchTools } from "../../tools/search-tools.ts";
import type { Part, Surroundings } from "../agent/feature.ts";

export interface CatalogueSurroundings extends Pick<Surroundings, "config" | "embedder" | "warn">, Partial<Pick<Surroundings, "redact">> {
  /** All tools a model may be shown, in the order of the registry. */
  readonly tools: () => readonly ToolSpec[];
  /** The agent among several on whose behalf something happens now. */
  readonly working?: () => Pick<CataloguePart, "catalogue"> | undefined;
  /** The same that the gate asks; null where they are off. */
  readonly dependencies: Dependencies | null;
  /** Why a tool would do nothing now; null when it would do something. */
  readonly noUse?: (tool: string) => string | null;
  /** Whether Zeph itself brings a tool. */
  readonly isOwn?: (tool: string) => boolean;
  /** Whether a part of Zeph that is in use needs a tool. */
  readonly isNeeded?: (tool: string) => boolean;
  /** Other names of tools. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly log?: (message: string) => void;
}

export interface CataloguePart extends Part {
  readonly catalogue: Catalogue;
  openCatalogue(tools: () => readonly ToolSpec[]): Catalogue;
}

/** What a model is shown of the tools, with the tool that finds the rest. */
export function cataloguePart(given: CatalogueSurroundings): CataloguePart {
  const { config, embedder, tools, dependencies, warn, redact, noUse, isOwn, isNeeded, aliases, log } = given;
  const filter = config.agent.tool_filter;
  const { tafc } = config.tools;
  const words = createWordRanking();
  let embeddedBy: string | null = null;
  const opened = async () => {
    const found = await embedder();
    embeddedBy = found?.id ?? null;
    return found;
  };
  const meaning = openMeaningRanking({ embedder: opened, otherwise: words, warn, ...(redact && { redact }) });
  const rankings = { bm25: words, embeddings: meaning, both: createMixedRanking(words, meaning) };
  const openCatalogue = (tools: () => readonly ToolSpec[]): Catalogue =>
    createCatalogue({
      tools,
      filter,
      start: config.agent.start_tools,
      tafc,
      ranking: rankings[filter.ranking],
      dependencies,
      warn,
      ...(noUse && { noUse }),
      ...(isOwn && { isOwn }),
      ...(isNeeded && { isNeeded }),
      ...(aliases && { aliases }),
      ...(log && { log }),
    });
  const usual = openCatalogue(tools);
  const now = () => given.working?.()?.catalogue ?? usual;
  const catalogue: Catalogue = {
    forTurn: (...given) => now().forTurn(...given),
    tools: () => now().tools(),
    used: (tool) => now().used(tool),
    askedFor: (text) => now().askedFor(text),
    later: () => now().later(),
    search: (...given) => now().search(...given),
    reasons: () => now().reasons(),
    rankedBy: () => now().rankedBy(),
    restart: () => now().restart(),
  };
  return {
    catalogue,
    openCatalogue,
    tools: [searchTools(catalogue)],
    close: meaning.close,
    async status() {
      const reasons = catalogue.reasons();
      const vectors = catalogue.rankedBy() === "bm25" || embeddedBy === null ? "none" : embeddedBy;
      const isChosen = filter.enabled === true || catalogue.rankedBy() !== null;
      return {
        ...(isChosen && { Filter: `top_k=${filter.top_k}, always_on=${filter.always_on.length}, embeddings=${vectors}` }),
        ...(tafc.enabled && { TAFC: tafcLine(tools(), tafc.complexity_threshold) }),
        ...(dependencies && { Dependencies: `${plural(dependencies.rules, "rule")}, ${plural(dependencies.done(), "tool")} done` }),
        ...((isChosen || dependencies) && reasons.size > 0 && reasonLines(reasons)),
      };
    },
  };
}

const tafcLine = (tools: readonly ToolSpec[], threshold: number) => {
  const complex = tools.filter(({ parameters }) => complexity(parameters) >= threshold);
  return `complexity_threshold=${threshold}, ${plural(complex.length, "tool")}`;
};

const MOST_LINES = 10;

/** How many, and why; then those that wait for something, one by one. */
function reasonLines(reasons: ReadonlyMap<string, OfferReason>): Record<string, string> {
  const all = [...reasons];
  const [offered, left] = [all.filter(([, { offered }]) => offered), all.filter(([, { offered }]) => !offered)];
  const waiting = left.filter(([, { because }]) => because !== "rank" && because !== "later");
  const rest = waiting.length - MOST_LINES;
  return {
    Offered: counted(offered),
    ...(left.length > 0 && { "Not offered": counted(left) }),
    ...Object.fromEntries(waiting.slice(0, MOST_LINES).map(([name, reason]) => [`  ${name}`, inWords(reason)])),
    ...(rest > 0 && { "  …": `and ${rest} more` }),
  };
}

/** `12 (always_on 5, rank 7)` */
function counted(tools: readonly (readonly [string, OfferReason])[]): string {
  const counts = new Map<string, number>();
  for (const [, { because }] of tools) counts.set(because, (counts.get(because) ?? 0) + 1);
  const parts = [...counts].map(([because, count]) => `${because} ${count}`);
  return tools.length === 0 ? "none" : `${tools.length} (${parts.join(", ")})`;
}

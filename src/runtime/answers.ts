import { type Draft, textOf } from "../core/draft.ts";
import type { InnerLayer } from "../core/layer.ts";
import type { Embedder } from "../core/ports/embedder.ts";
import type { Owner } from "../core/ports/printed/overflow.ts";
import type { Store } from "../core/ports/store.ts";
import type { Texts } from "../core/ports/texts.ts";
import type { Watch } from "../core/ports/watch.ts";
import type { AnyTool } from "../core/tool.ts";
import { memoryOwner, type TurnContext } from "../core/turn.ts";
import type { FiltersConfig } from "../filters/config.ts";
import { createFilterStats, type FilterCounts } from "../filters/stats.ts";
import { type CacheStats, createResultCache } from "../pipeline/cache.ts";
import { createLongCleaner } from "../pipeline/clean-long.ts";
import { type CompressionCounts, createCompressLayer } from "../pipeline/compress/compress.ts";
import type { CacheConfig, CompressionConfig, OverflowConfig } from "../pipeline/config.ts";
import { createFilterLayer } from "../pipeline/filter.ts";
import { createOverflowLayer } from "../pipeline/overflow.ts";
import { type Summarise, summaryQuestion } from "../pipeline/overflow-summary.ts";
import { readOverflow } from "../tools/read-overflow.ts";
import type { EgressCounts } from "./events/egress-counts.ts";
import type { OpenFilter } from "./filter/filter.ts";
import { createKeptStats } from "./filter/savings.ts";

export interface AnswersParts {
  readonly config: {
    readonly filters: FiltersConfig;
    readonly overflow: OverflowConfig;
    readonly result_cache: CacheConfig;
    readonly compression: CompressionConfig;
    readonly summarize_output: boolean;
  };
  readonly store: Store;
  readonly texts: Texts;
  readonly filter: OpenFilter;
  readonly session: { readonly id: string; readonly nonce: string };
  readonly watch: Watch | null;
  /** What a turn works towards, in words; null when it has no goal. */
  readonly goalOf?: (turn: TurnContext) => string | null;
  /** For what a text has to do with a goal; without one, words decide. */
  readonly embedder?: () => Promise<Embedder | null>;
  /** One answer of a model in words; null where there is no model. */
  readonly ask?: (prompt: { readonly system: string; readonly text: string }, signal: AbortSignal) => Promise<string | null>;
}

export interface Answers {
  /** Layers of the inner ring, by their names there. */
  readonly layers: Readonly<Record<"cache" | "overflow" | "compress" | "filter", InnerLayer>>;
  readonly tool: AnyTool;
  /** What a background command printed, as a model reads it. */
  shown(draft: Draft, turn: TurnContext): Promise<string>;
  stats(): Omit<Counts, "egress">;
  clear(): void;
}

/** What was counted since a runtime was opened. */
export interface Counts {
  readonly filter: FilterCounts;
  readonly cache: CacheStats;
  readonly compression: CompressionCounts;
  readonly egress: EgressCounts;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Everything between a tool's output and the model: cache, overflow, compression, filter, secrets. */
export function createAnswers(parts: AnswersParts): Answers {
  const { config, store, texts, filter, session, watch, goalOf = () => null, embedder, ask } = parts;
  // A text that was left out of one caller's answer is read by no other.
  const ownerOf = ({ conversationId, rights }: TurnContext): Owner =>
    conversationId === undefined
      ? { session: rights ? `${session.id} caller ${rights.id}` : session.id }
      : { conversation: conversationId };
  const handlesOf = counters(store, ownerOf);
  const saved = createFilterStats();
  const stats = createKeptStats(saved, store.savings);
  // An answer that was shortened for one goal is not given for another.
  const scopeOf = (turn: TurnContext) =>
    JSON.stringify([memoryOwner(turn) ?? session.id, turn.goalId ?? "", turn.goalId === undefined ? "" : goalOf(turn)]);
  const cache = createResultCache({ config: config.result_cache, watch, scopeOf });
  const summarise: Summarise | null =
    config.summarize_output && ask
      ? (text, call, signal) => ask(summaryQuestion(text, call), signal).then((summary) => summary && filter.redact(summary))
      : null;
  const kept = createOverflowLayer({
    store: store.overflow,
    config: config.overflow,
    nonce: session.nonce,
    ownerOf,
    ...(summarise && { summarise }),
  });
  const compressed = createCompressLayer({
    config: config.compression,
    nonce: session.nonce,
    goalOf,
    handlesOf,
    ...(embedder && { embedder }),
  });
  const filtered = createFilterLayer({
    filter: filter.load,
    secrets: config.filters.security.enabled ? filter.secrets : null,
    long: createLongCleaner(texts, filter.settings),
    nonce: session.nonce,
    stats,
    handlesOf,
  });
  // Nobody waits for it, and a store that is gone by then has nothing to forget.
  void store.overflow.expire(Date.now() - config.overflow.retention_days * DAY_MS).catch(() => {});
  return {
    layers: { cache: cache.layer, overflow: kept.layer, compress: compressed.layer, filter: filtered.layer },
    tool: readOverflow(store.overflow, ownerOf),
    shown: async (draft, turn) => textOf((await kept.keep(await filtered.clean(draft, turn), turn)).parts),
    stats: () => ({ filter: saved.counts(), cache: cache.stats(), compression: compressed.stats() }),
    clear: cache.clear,
  };
}

/** `raw#n` are counted for each conversation, and go on where they ended when it is resumed. */
function counters(store: Store, ownerOf: (turn: TurnContext) => Owner) {
  const open = new Map<string, Promise<{ last: number }>>();
  return (turn: TurnContext): Promise<{ last: number }> => {
    const key = memoryOwner(turn) ?? "";
    const known = open.get(key);
    if (known) return known;
    const fresh = key === "" ? Promise.resolve({ last: 0 }) : store.overflow.lastHandle(ownerOf(turn)).then((last) => ({ last }));
    open.set(key, fresh);
    return fresh;
  };
}

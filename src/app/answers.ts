import type { ApprovedCall } from "../core/door.ts";
import type { Layer } from "../core/layer.ts";
import type { Owner, Store } from "../core/store.ts";
import type { AnyTool, ToolOutput } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import type { Watch } from "../core/watch.ts";
import type { FiltersConfig } from "../filters/config.ts";
import { redactText } from "../filters/secrets/secrets.ts";
import { type FilterCounts, filterStats } from "../filters/stats.ts";
import { type CacheStats, resultCache } from "../pipeline/cache.ts";
import type { CacheConfig, OverflowConfig } from "../pipeline/config.ts";
import { filtering } from "../pipeline/filter.ts";
import { overflow } from "../pipeline/overflow.ts";
import { readOverflow } from "../tools/read-overflow.ts";
import { openFilter } from "./filter.ts";

export interface AnswersParts {
  readonly config: { readonly filters: FiltersConfig; readonly overflow: OverflowConfig; readonly result_cache: CacheConfig };
  readonly store: Store;
  readonly session: { readonly id: string; readonly nonce: string };
  readonly watch: Watch | null;
  readonly where: { readonly userFile: string | null; readonly home: string };
}

export interface Answers {
  /** The inner ring between a permit and the tool, outermost first. */
  readonly layers: readonly Layer<ApprovedCall>[];
  /** For a run whose result is dropped: nothing cached. */
  readonly shortened: readonly Layer<ApprovedCall>[];
  readonly tool: AnyTool;
  readonly redact: (text: string) => string;
  /** A key of our own that must never be shown. */
  hide(value: string): void;
  /** What a background command printed, as a model reads it. */
  shown(output: ToolOutput, turn: TurnContext): Promise<string>;
  readonly warnings: readonly string[];
  stats(): Counts;
  clear(): void;
}

export interface Counts {
  readonly filter: FilterCounts;
  readonly cache: CacheStats;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Everything between a tool's output and the model: cache, overflow, filter, secrets. */
export async function openAnswers({ config, store, session, watch, where }: AnswersParts): Promise<Answers> {
  const ownerOf = ({ conversationId }: TurnContext): Owner =>
    conversationId === undefined ? { session: session.id } : { conversation: conversationId };
  const handlesOf = counters(store, ownerOf);
  const filter = await openFilter(config.filters, where);
  const saved = filterStats();
  const cache = resultCache({ config: config.result_cache, watch, scopeOf: ({ conversationId }) => conversationId ?? session.id });
  const kept = overflow({ store: store.overflow, config: config.overflow, nonce: session.nonce, ownerOf });
  const filtered = filtering({
    filter: filter.load,
    secrets: config.filters.security.enabled ? filter.secrets : null,
    nonce: session.nonce,
    stats: saved,
    handlesOf,
  });
  const shortened = [kept.layer, filtered.layer];
  // Nobody waits for it, and a store that is gone by then has nothing to forget.
  void store.overflow.expire(Date.now() - config.overflow.retention_days * DAY_MS).catch(() => {});
  return {
    layers: [cache.layer, ...shortened],
    shortened,
    tool: readOverflow(store.overflow, ownerOf),
    shown: async (output, turn) => (await kept.keep(await filtered.clean(output, turn), turn)).text,
    hide: filter.hide,
    redact: (text) => redactText(text, filter.secrets),
    warnings: filter.warnings,
    stats: () => ({ filter: saved.counts(), cache: cache.stats() }),
    clear: cache.clear,
  };
}

/** `raw#n` are counted for each conversation, and go on where they ended when it is resumed. */
function counters(store: Store, ownerOf: (turn: TurnContext) => Owner) {
  const open = new Map<string, Promise<{ last: number }>>();
  return (turn: TurnContext): Promise<{ last: number }> => {
    const key = turn.conversationId ?? "";
    const known = open.get(key);
    if (known) return known;
    const fresh = key === "" ? Promise.resolve({ last: 0 }) : store.overflow.lastHandle(ownerOf(turn)).then((last) => ({ last }));
    open.set(key, fresh);
    return fresh;
  };
}

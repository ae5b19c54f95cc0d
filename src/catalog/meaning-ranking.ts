import { cosine, type Embedder, EmbeddingError } from "../core/ports/embedder.ts";
import type { ToolSpec } from "../core/ports/model.ts";
import { gist, type Ranked, type Ranking, rankingWords } from "./ranking.ts";
import { inTime, type Unfinished } from "./work-limits.ts";

export interface EmbeddingParts {
  /** Null where none is configured. It may throw. */
  readonly embedder: () => Promise<Embedder | null>;
  /** Ranks where the embedder fails. */
  readonly otherwise: Ranking;
  readonly warn: (message: string) => void;
  /** Takes secrets out of what was said, before it goes to a server. */
  readonly redact?: (text: string) => string;
  readonly now?: () => number;
  /** How long a turn waits. */
  readonly patienceMs?: number;
}

export interface EmbeddingRanking extends Ranking {
  /** Ends what is still going on, so that nothing keeps the process alive. From then on words decide. */
  close(): void;
}

/** A turn waits no longer; what was begun goes on behind its back, for the next. */
const PATIENCE_MS = 4_000;
const MOST_MS = 60_000;
/** A server that failed is left alone this long, so that not every turn waits for it. */
const REST_MS = 60_000;
const MOST_KEPT = 5000;
const MOST_TEXT = 2000;

/** Ranks by meaning. What the tools say is embedded once; when it cannot be done, or not in time, words decide and one warning says so. */
export function openMeaningRanking(parts: EmbeddingParts): EmbeddingRanking {
  const { embedder, otherwise, warn, redact = (text) => text, now = Date.now, patienceMs = PATIENCE_MS } = parts;
  const kept = new Map<string, Float32Array>();
  const closed = new AbortController();
  let restUntil = Number.NEGATIVE_INFINITY;
  let hasWarned = false;
  let behind: Unfinished | null = null;

  const embedded = async (query: string, tools: readonly ToolSpec[], signal: AbortSignal): Promise<Ranked> => {
    const by = await embedder();
    signal.throwIfAborted();
    if (!by) throw new EmbeddingError("no provider has an embedding_model");
    const keys = tools.map((tool) => `${by.id}\n${textOf(tool)}`);
    const missing = [...new Set(keys)].filter((key) => !kept.has(key));
    const texts = missing.map((key) => key.slice(by.id.length + 1));
    const [asked, ...fresh] = await by.embed([redact(gist(query)) || "-", ...texts], signal);
    if (!asked || fresh.length !== texts.length) throw new EmbeddingError("not every text got a vector");
    for (const [n, vector] of fresh.entries()) kept.set(missing[n]!, vector);
    const vectors = keys.map((key) => kept.get(key)!);
    if (vectors.some(({ length }) => length !== asked.length)) {
      kept.clear();
      throw new EmbeddingError("the vectors have other dimensions than before");
    }
    const scores = new Map<string, number>();
    for (const [n, { name }] of tools.entries()) if (hasDirection(vectors[n]!)) scores.set(name, Math.max(0, cosine(asked, vectors[n]!)));
    forget(kept, keys);
    return { by: "embeddings", scores };
  };
  const failed = (error: unknown) => {
    restUntil = now() + REST_MS;
    if (!hasWarned) warn(`Tools are ranked by words and not by meaning: ${error instanceof Error ? error.message : String(error)}`);
    hasWarned = true;
  };
  /** Waits in vain, and leaves the work to go on alone. */
  const leave = (work: Unfinished, knew: number) => {
    failed(new EmbeddingError(`there were no vectors within ${patienceMs / 1000} s`));
    behind = work;
    void work.end.then((how) => {
      behind = null;
      // It was slow because it had much to do for the first time; with that done it is worth another try.
      if (how === "done" && kept.size > knew) restUntil = Number.NEGATIVE_INFINITY;
    });
  };

  return {
    async rank(query, tools, signal) {
      if (now() >= restUntil && !behind && !closed.signal.aborted && query.trim() !== "") {
        const knew = kept.size;
        try {
          const result = await inTime((stop) => embedded(query, tools, stop), {
            patienceMs,
            mostMs: MOST_MS,
            signal,
            closed: closed.signal,
          });
          if (!("end" in result)) return result;
          leave(result, knew);
        } catch (error) {
          if (!signal.aborted && !closed.signal.aborted) failed(error);
        }
      }
      return otherwise.rank(query, tools, signal);
    },
    close: () => closed.abort(),
  };
}

const textOf = ({ name, description }: ToolSpec) => `${rankingWords(name).join(" ")}: ${description}`.slice(0, MOST_TEXT).toWellFormed();

const hasDirection = (vector: Float32Array) => vector.some((number) => number !== 0);

/** Tools that are gone make room. */
function forget(kept: Map<string, Float32Array>, inUse: readonly string[]): void {
  if (kept.size <= MOST_KEPT) return;
  const needed = new Set(inUse);
  for (const key of kept.keys()) if (!needed.has(key)) kept.delete(key);
}

import { cosine, type Embedder, EmbeddingError } from "../core/embedder.ts";
import type { ToolSpec } from "../core/model.ts";
import { gist, type Ranked, type Ranking, wordsOf } from "./ranking.ts";

export interface EmbeddingParts {
  /** Null where none is configured. It may throw. */
  readonly embedder: () => Promise<Embedder | null>;
  /** Ranks where the embedder fails. */
  readonly otherwise: Ranking;
  readonly warn: (message: string) => void;
  readonly now?: () => number;
}

/** A server that failed is left alone this long, so that not every turn waits for it. */
const REST_MS = 60_000;
const MOST_KEPT = 5000;
const MOST_TEXT = 2000;

/** Ranks by meaning. What the tools say is embedded once; when it cannot be done, words decide and one warning says so. */
export function embeddings({ embedder, otherwise, warn, now = Date.now }: EmbeddingParts): Ranking {
  const kept = new Map<string, Float32Array>();
  let restUntil = Number.NEGATIVE_INFINITY;
  let hasWarned = false;

  const embedded = async (query: string, tools: readonly ToolSpec[], signal: AbortSignal): Promise<Ranked> => {
    const by = await embedder();
    if (!by) throw new EmbeddingError("no provider has an embedding_model");
    const keys = tools.map((tool) => `${by.id}\n${textOf(tool)}`);
    const missing = [...new Set(keys)].filter((key) => !kept.has(key));
    const texts = missing.map((key) => key.slice(by.id.length + 1));
    const [asked, ...fresh] = await by.embed([gist(query) || "-", ...texts], signal);
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

  return {
    async rank(query, tools, signal) {
      if (now() >= restUntil && query.trim() !== "") {
        try {
          return await embedded(query, tools, signal);
        } catch (error) {
          if (!signal.aborted) {
            restUntil = now() + REST_MS;
            if (!hasWarned) warn(`Tools are ranked by words and not by meaning: ${error instanceof Error ? error.message : String(error)}`);
            hasWarned = true;
          }
        }
      }
      return otherwise.rank(query, tools, signal);
    },
  };
}

const textOf = ({ name, description }: ToolSpec) => `${wordsOf(name).join(" ")}: ${description}`.slice(0, MOST_TEXT).toWellFormed();

const hasDirection = (vector: Float32Array) => vector.some((number) => number !== 0);

/** Tools that are gone make room. */
function forget(kept: Map<string, Float32Array>, inUse: readonly string[]): void {
  if (kept.size <= MOST_KEPT) return;
  const needed = new Set(inUse);
  for (const key of kept.keys()) if (!needed.has(key)) kept.delete(key);
}

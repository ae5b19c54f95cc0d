import type { KeyReader } from "../../config/api-keys.ts";
import { ModelError } from "../../core/model-error.ts";
import { type Embedder, EmbeddingError } from "../../core/ports/embedder.ts";
import type { LlmConfig, ProviderConfig } from "../../models/config.ts";
import type { ProviderType } from "../../models/defaults.ts";
import { didYouMean } from "../../text/nearest.ts";
import { setupOf } from "./models.ts";

export interface EmbedderWish {
  readonly llm: LlmConfig;
  readonly keys: KeyReader;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly warn?: (message: string) => void;
}

/** Those that have no such thing. */
const WITHOUT: ReadonlySet<ProviderType> = new Set(["anthropic", "script"]);

/** What `llm.embedding_provider` names; null for none. Throws an EmbeddingError when it names something that cannot embed. */
export async function findEmbedder(wish: EmbedderWish): Promise<Embedder | null> {
  const { embedding_provider: name, providers } = wish.llm;
  if (name === "none") return null;
  if (name === "packaged") return (await import("../../models/packaged-embedding.ts")).createPackagedEmbedder();
  if (name !== "") return open(named(name, providers), wish);
  const first = providers.find((one) => one.embedding_model !== undefined);
  return first ? open(first, wish) : null;
}

async function open(provider: ProviderConfig, { keys, env = process.env, warn }: EmbedderWish): Promise<Embedder> {
  const { name, type, embedding_model: model } = provider;
  if (WITHOUT.has(type))
    throw new EmbeddingError(
      `${name} has the type ${type}, which has no embeddings. Give another provider an embedding_model, or set llm.embedding_provider to "packaged" or "none".`,
    );
  if (model === undefined)
    throw new EmbeddingError(
      `${name} has no embedding_model. Add one to this provider, such as embedding_model = "text-embedding-3-small".`,
    );
  const { createProviderEmbedder } = await import("../../models/embedding.ts");
  try {
    return createProviderEmbedder(setupOf(provider, keys, env, warn), model);
  } catch (error) {
    // A missing key is no reason to go without a model, only without vectors.
    throw error instanceof ModelError ? new EmbeddingError(error.message) : error;
  }
}

function named(name: string, providers: readonly ProviderConfig[]): ProviderConfig {
  const found = providers.find((one) => one.name === name);
  if (found) return found;
  const names = ["packaged", "none", ...providers.map((one) => one.name)];
  throw new EmbeddingError(
    `llm.embedding_provider: there is no provider "${name}". The providers are ${names.join(", ")}.${didYouMean(name, names)}`,
  );
}

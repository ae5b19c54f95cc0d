import type { Embedder } from "../../core/ports/embedder.ts";
import type { EmbedderWish } from "./embedders.ts";

export type LateEmbedder = () => Promise<Embedder | null>;

/** The embedder of the configuration, opened when it is first wanted, and again when that failed. Nothing is read where none was asked for. */
export function createLateEmbedder(wish: EmbedderWish): LateEmbedder {
  const { embedding_provider: name, providers } = wish.llm;
  if (name === "" && !providers.some(({ embedding_model }) => embedding_model)) return async () => null;
  let opened: Promise<Embedder | null> | null = null;
  return () => {
    opened ??= import("./embedders.ts").then(({ findEmbedder }) => findEmbedder(wish));
    opened.catch(() => {
      opened = null;
    });
    return opened;
  };
}

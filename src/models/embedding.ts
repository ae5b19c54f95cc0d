import { type Embedder, EmbeddingError } from "../core/ports/embedder.ts";
import { abortAfter } from "../text/abort.ts";
import { attempt } from "../text/attempt.ts";
import { openBoundedFetch } from "./bounded-fetch.ts";
import { type AskedProvider, modelError } from "./errors.ts";
import type { ProviderSetup } from "./setup.ts";

/** So many texts go into one request, and of each so much. Providers take at most 8192 tokens of a text. */
const MOST_TEXTS = 96;
const MOST_CHARS = 8000;
/** Nobody waits longer for a ranking. */
const MOST_MS = 30_000;
const MOST_BYTES = 16 * 1024 * 1024;
const LIMITS = { body: MOST_BYTES, line: MOST_BYTES, refusal: 256 * 1024 };
const MOST_DIMENSIONS = 16_384;

/** Vectors from OpenAI, Ollama or any server with the same `/embeddings`. `model` is the provider's `embedding_model`. */
export function createProviderEmbedder(
  { asked: provider, timeoutMs }: Pick<ProviderSetup, "asked" | "timeoutMs">,
  model: string,
): Embedder {
  const asked: AskedProvider = { ...provider, model };
  const waitMs = Math.min(timeoutMs, MOST_MS);
  let dimensions: number | null = null;
  return {
    id: `${asked.name}/${model}`,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += MOST_TEXTS) {
        signal.throwIfAborted();
        const batch = texts.slice(at, at + MOST_TEXTS).map(sendable);
        for (const numbers of vectorsIn(await post(asked, batch, waitMs, signal), batch.length, asked)) {
          dimensions ??= numbers.length;
          if (numbers.length !== dimensions) throw new EmbeddingError(otherDimensions(asked, numbers.length, dimensions));
          vectors.push(unit(numbers, asked));
        }
      }
      return vectors;
    },
  };
}

/** An empty text is refused by some, and half a character by others. */
const sendable = (text: string) => text.slice(0, MOST_CHARS).toWellFormed().trim() || "-";

async function post(asked: AskedProvider, input: readonly string[], waitMs: number, signal: AbortSignal): Promise<unknown> {
  const late = abortAfter(waitMs);
  const wire = openBoundedFetch(() => {}, LIMITS);
  try {
    const response = await wire.fetch(`${asked.url}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(asked.key && { authorization: `Bearer ${asked.key.value}` }) },
      body: JSON.stringify({ model: asked.model, input, encoding_format: "float" }),
      signal: AbortSignal.any([signal, late]),
    });
    const body = await response.text();
    if (!response.ok) throw Object.assign(new Error(), { statusCode: response.status, responseBody: body });
    return parsed(body);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) throw new EmbeddingError(`${asked.name} gave no vectors within ${Math.round(waitMs / 1000)} s. Try again later.`);
    if (thrown instanceof EmbeddingError) throw thrown;
    throw new EmbeddingError(modelError(thrown, asked, { answered: wire.answered(), timeoutMs: waitMs }).message);
  }
}

const parsed = (body: string): unknown => attempt(() => JSON.parse(body), null);

/** In the order of the texts, whatever order they came in. */
function vectorsIn(answer: any, count: number, asked: AskedProvider): readonly (readonly number[])[] {
  const items: readonly any[] = Array.isArray(answer?.data) ? answer.data : [];
  const vectors: (readonly number[])[] = [];
  for (const [n, item] of items.entries()) {
    const at = item?.index ?? n;
    if (Number.isInteger(at) && at >= 0 && at < count && isVector(item?.embedding)) vectors[at] = item.embedding;
  }
  if (items.length !== count || Object.keys(vectors).length !== count) throw new EmbeddingError(noVectors(asked));
  return vectors;
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST_DIMENSIONS && value.every((number) => Number.isFinite(number));

function unit(numbers: readonly number[], asked: AskedProvider): Float32Array {
  // In two steps: the square of a large number is no number any more.
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  if (largest === 0) throw new EmbeddingError(noVectors(asked));
  const scaled = numbers.map((number) => number / largest);
  const length = Math.sqrt(scaled.reduce((sum, number) => sum + number * number, 0));
  return Float32Array.from(scaled, (number) => number / length);
}

const noVectors = ({ name, model, url }: AskedProvider) =>
  `What ${name} answered are not the vectors of these texts. Check that ${model} is an embedding model and that base_url (${url}) is right.`;

const otherDimensions = ({ name, model }: AskedProvider, now: number, before: number) =>
  `${name} (${model}) answered a vector of ${now} numbers, and before of ${before}. They cannot be compared. Check embedding_model of this provider, then start again.`;

/** Turns texts into vectors whose directions say what they mean. Texts of one embedder can be compared, and no others. */
export interface Embedder {
  /** Which vectors these are: `openai/text-embedding-3-small`. What is kept under one id is never compared with another's. */
  readonly id: string;
  /** One vector of length 1 for each text, all with as many numbers. Throws an EmbeddingError. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** The server is down, refuses, or answers something that is no vector. Whoever asked goes on without. */
export class EmbeddingError extends Error {
  override name = "EmbeddingError";
}

/** How alike two vectors of length 1 are: from -1 to 1; 0 when they are not of one kind. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}

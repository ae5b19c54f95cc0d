import { type Embedder, EmbeddingError } from "../core/ports/embedder.ts";
import type { Memories, Memory, MemoryQuery } from "../core/ports/store.ts";
import { abortAfter, unlessAborted } from "../text/abort.ts";
import { oneLine } from "../text/visible.ts";

/** A search does not wait longer than this for a vector; it goes on with words. */
const PATIENCE_MS = 5_000;
const BACKGROUND_MS = 60_000;
/** After a failure nobody tries again for so long. */
const REST_MS = 60_000;
const BATCH = 64;
const BATCHES = 4;
/** What a memory means is said at its beginning, and no embedder takes a text of any length. */
const EMBEDDED = 8_000;

export interface MemoryMeaning {
  /** The vector of a query; or, where there is none, why not. Neither where no embedder is configured. */
  of(text: string, signal: AbortSignal): Promise<{ readonly vector?: NonNullable<MemoryQuery["vector"]>; readonly why?: string }>;
  /** Gives this memory its vector, and then others that have none yet, a bounded number, in the background. It never fails. */
  fill(memory?: Memory): void;
  /** The state of the embedder as it is known by now; nothing is opened to know it. */
  state(): "unused" | "none" | { readonly id: string } | { readonly why: string };
  /** When nothing is going on in the background. */
  idle(): Promise<void>;
  /** Ends what is going on. What has no vector yet gets it another time. */
  close(): void;
}

export interface MeaningParts {
  /** Takes secrets out of a query before it goes to a server. Memories are stored without them. */
  readonly redact?: (text: string) => string;
  readonly clock?: () => number;
}

/** Vectors for memories: made in the background, missed without harm. */
export function openMeaning(
  open: () => Promise<Embedder | null>,
  memories: Pick<Memories, "withoutVector" | "addVector">,
  { redact = (text) => text, clock = Date.now }: MeaningParts = {},
): MemoryMeaning {
  let known: ReturnType<MemoryMeaning["state"]> = "unused";
  let restUntil = 0;
  let work: Promise<void> | null = null;
  let waiting: Memory[] = [];
  const end = new AbortController();

  /** The vectors of texts, or what is in the way. */
  const embed = async (texts: readonly string[], ms: number, stop?: AbortSignal): Promise<Embedded> => {
    if (end.signal.aborted) return { why: "it was closed" };
    if (typeof known === "object" && "why" in known && clock() < restUntil) return known;
    try {
      const short = texts.map((text) => text.slice(0, EMBEDDED).toWellFormed());
      const done = await within(ms, [end.signal, ...(stop ? [stop] : [])], async (signal) => {
        const embedder = await open();
        return embedder && { id: embedder.id, vectors: await embedder.embed(short, signal) };
      });
      known = done ? { id: done.id } : "none";
      if (!done) return {};
      const { id, vectors } = done;
      if (vectors.length !== texts.length || vectors.some((vector) => vector.length === 0 || vector.length !== vectors[0]!.length))
        throw new EmbeddingError(`${id} answered with vectors that do not fit the texts`);
      return done;
    } catch (error) {
      const why = oneLine(error instanceof Error ? error.message : String(error), 300);
      // A search that was stopped says nothing about the server.
      if (!stop?.aborted && !end.signal.aborted) {
        known = { why };
        restUntil = clock() + REST_MS;
      }
      return { why };
    }
  };
  const embedAndKeep = async (batch: readonly Memory[]): Promise<string | null> => {
    const texts = batch.map(({ content }) => content);
    const done = await embed(texts, BACKGROUND_MS);
    if (!done.vectors) return null;
    for (const [index, { id }] of batch.entries()) await memories.addVector(id, done.id, done.vectors[index]!);
    return done.id;
  };
  const fillAll = async (): Promise<void> => {
    let id: string | null = null;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      id = await embedAndKeep(batch);
      if (id === null) return;
    }
    id ??= typeof known === "object" && "id" in known ? known.id : null;
    for (let batches = 0; id !== null && batches < BATCHES; batches++) {
      const without = await memories.withoutVector(id, BATCH);
      if (without.length === 0 || (await embedAndKeep(without)) === null) return;
    }
  };
  return {
    async of(text, signal) {
      const done = await embed([redact(text)], PATIENCE_MS, signal);
      if (done.vectors) return { vector: { embedder: done.id, of: done.vectors[0]! } };
      return done.why === undefined ? {} : { why: done.why };
    },
    fill(memory) {
      if (memory && waiting.length < BATCH) waiting.push(memory);
      work ??= fillAll()
        // The store was closed, or is locked: the vectors are made another time.
        .catch(() => {})
        .finally(() => {
          work = null;
        });
    },
    state: () => known,
    idle: async () => {
      while (work) await work;
    },
    close: () => end.abort(),
  };
}

type Embedded =
  | { readonly id: string; readonly vectors: readonly Float32Array[]; readonly why?: never }
  | { readonly why?: string; readonly id?: never; readonly vectors?: never };

/** An embedder should listen to its signal; one that does not, or that never opens, must not hold anybody up. */
async function within<T>(ms: number, stops: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = AbortSignal.any([...stops, abortAfter(ms, () => new EmbeddingError("it did not answer in time"))]);
  return unlessAborted(work(stop), stop, () => {
    throw stop.reason;
  });
}

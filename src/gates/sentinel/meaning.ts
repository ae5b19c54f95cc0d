import { cosine, type Embedder } from "../../core/ports/embedder.ts";
import type { Trajectory } from "../../core/ports/store.ts";
import { abortAfter, unlessAborted } from "../../text/abort.ts";
import type { Alike, Likeness } from "./likeness.ts";
import { ALIKE, type SequenceSteps } from "./sequence-query.ts";

/** Nobody waits longer than this for a vector; words are compared in any case. */
const PATIENCE_MS = 300;
const BACKGROUND_MS = 30_000;
/** After a failure nobody tries again for so long. */
const REST_MS = 60_000;
const BATCH = 64;
const LONGEST_TEXT = 8_000;

export interface SentinelMeaning {
  /** False as soon as it is known that there is no embedder. */
  isThere(): boolean;
  /** The closest by meaning; null where there is none, or no vectors can be compared. */
  closest(steps: SequenceSteps, known: Likeness): Promise<Alike | null>;
}

/** What a sequence means, where an embedder is configured. Vectors of stored sequences are made in the background and kept in memory. */
export function createSentinelMeaning(open: () => Promise<Embedder | null>): SentinelMeaning {
  let isThere = true;
  let restUntil = 0;
  let isFilling = false;
  const vectors = new WeakMap<Trajectory, { readonly embedder: string; readonly of: Float32Array }>();

  const embed = async (texts: readonly string[], ms: number) => {
    if (!isThere || Date.now() < restUntil) return null;
    try {
      const done = await within(ms, async (signal) => {
        const embedder = await open();
        return embedder && { id: embedder.id, vectors: await embedder.embed(texts, signal) };
      });
      if (!done) isThere = false;
      return done;
    } catch {
      restUntil = Date.now() + REST_MS;
      return null;
    }
  };
  /** An embedder that is opened has asked nobody yet. */
  const opened = async (): Promise<boolean> => {
    try {
      isThere &&= (await within(PATIENCE_MS, open)) !== null;
      return isThere;
    } catch {
      return false;
    }
  };
  const fill = async (without: readonly Trajectory[]) => {
    isFilling = true;
    for (let n = 0; n < without.length; n += BATCH) {
      const batch = without.slice(n, n + BATCH);
      const done = await embed(
        batch.map(({ steps }) => textOf(steps)),
        BACKGROUND_MS,
      );
      if (!done) break;
      for (const [index, trajectory] of batch.entries()) {
        const vector = done.vectors[index];
        if (vector) vectors.set(trajectory, { embedder: done.id, of: vector });
      }
    }
    isFilling = false;
  };
  return {
    isThere: () => isThere,
    async closest(steps, known) {
      const stored = known.of(steps.at(-1)![0]!);
      if (!(await opened()) || stored.length === 0) return null;
      const without = stored.filter((one) => !vectors.has(one));
      if (!isFilling) void fill(without);
      const done = await embed([textOf(steps)], PATIENCE_MS);
      const own = done?.vectors[0];
      if (!own) return null;
      let best: Alike | null = null;
      for (const trajectory of stored) {
        const vector = vectors.get(trajectory);
        const score = vector?.embedder === done.id ? cosine(own, vector.of) : 0;
        if (score >= ALIKE && score > (best?.score ?? 0)) best = { trajectory, score };
      }
      return best;
    },
  };
}

const textOf = (steps: SequenceSteps): string =>
  steps
    .map((words) => words.join(" "))
    .join("\n")
    .slice(-LONGEST_TEXT)
    .toWellFormed();

/** Rejects when there is no answer in time, also where the work does not listen to the signal. */
function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = abortAfter(ms);
  return unlessAborted(work(late), late, () => {
    throw late.reason;
  });
}

import { ModelError } from "../../core/model-error.ts";
import type { ModelMiddleware } from "../../core/ports/model.ts";

/** What a turn's model is doing: so that a turn can end where it can be gone on with, and a failure be told apart. */
export interface ModelWatch {
  readonly middleware: ModelMiddleware;
  /** Aborted when the worker drains and nothing is under way but an answer of the model. A call is waited for. */
  readonly draining: AbortSignal;
  /** How the model failed last. */
  fault(): ModelError | null;
  close(): void;
}

const LOOK_MS = 100;

export function openModelWatch(isDraining: () => boolean): ModelWatch {
  const stop = new AbortController();
  let asked = 0;
  let fault: ModelError | null = null;
  const timer = setInterval(() => {
    if (asked > 0 && isDraining()) stop.abort("draining");
  }, LOOK_MS);
  timer.unref();
  return {
    draining: stop.signal,
    async *middleware(prompt, next) {
      if (isDraining()) stop.abort("draining");
      if (stop.signal.aborted) return;
      asked++;
      try {
        yield* next(prompt);
        fault = null;
      } catch (error) {
        if (error instanceof ModelError) fault = error;
        throw error;
      } finally {
        asked--;
      }
    },
    fault: () => fault,
    close: () => clearInterval(timer),
  };
}

import type { ZephEvent } from "../core/event.ts";
import { leaveOutMedia } from "../core/media/left-out-media.ts";
import { FAULTS, ModelError } from "../core/model-error.ts";
import type { Finish, Meta, Model, ModelEvent, Prompt, Usage } from "../core/ports/model.ts";
import type { RawRequest } from "../core/request.ts";
import { pause, type RetryConfig, sleep } from "../core/retry.ts";

/** A part of an answer as it came; requests are still as the model sent them. */
export type AnswerPart =
  | { readonly type: "text" | "thinking"; readonly text: string; readonly meta?: Meta }
  | { readonly type: "request"; readonly request: RawRequest; readonly meta?: Meta };

/** `whole` is false when the person stopped it half way. */
export interface ModelAnswer {
  readonly said: readonly AnswerPart[];
  readonly finish: Finish;
  readonly usage: Usage | null;
  readonly whole: boolean;
}

export interface AskModelOptions {
  readonly retry: RetryConfig;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  /** Told each time the model is asked. */
  readonly asked: () => void;
}

export type Emit = (event: ZephEvent) => void | Promise<void>;

/** One answer of the model, told as it comes. Trying again is safe: nothing runs before an answer is whole. Throws a ModelError. */
export async function askModel(model: Model, given: Prompt, { retry, emit, signal, asked }: AskModelOptions): Promise<ModelAnswer> {
  const prompt = { ...given, messages: leaveOutMedia(given.messages, model) };
  /** Patience is counted from the first failure: an answer may take as long as it takes. */
  let failedAt: number | null = null;
  for (let n = 1; ; n++) {
    const heard = listener();
    asked();
    try {
      for await (const event of untilStopped(model.stream(prompt, signal), signal)) {
        heard.add(event);
        if (event.type === "text" || event.type === "thinking") {
          if (event.text !== "") await emit({ type: event.type, text: event.text });
        }
        if (signal.aborted) return heard.cut();
      }
      return signal.aborted ? heard.cut() : heard.whole();
    } catch (thrown) {
      if (signal.aborted) return heard.cut();
      const error = failureOf(model, thrown);
      const { retryAfterMs } = error;
      failedAt ??= performance.now();
      const wait = FAULTS[error.fault].again ? pause({ n, elapsedMs: performance.now() - failedAt, retryAfterMs }, retry) : null;
      if (wait === null) throw patienceEnded(error, n, retry);
      const discarded = heard.saidAnything() ? { discards: true, discardedChars: heard.textLength() } : { discards: false };
      await emit({ type: "retry", why: error.message, inMs: wait, attempt: n, ...discarded });
      if (!(await sleep(wait, signal))) return listener().cut();
    }
  }
}

/** A model that does not listen to the signal is left to itself; nobody waits for it. */
export async function* untilStopped<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let stop = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  stopped.catch(() => {});
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** A model is somebody else's code; whatever it throws is a failure of the model. */
function failureOf(model: Model, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelError("bad_request", `The model ${model.id} failed: ${message}`, { cause: thrown });
}

function patienceEnded(error: ModelError, tries: number, { budget_secs }: RetryConfig): ModelError {
  if (!FAULTS[error.fault].again) return error;
  const { retryAfterMs } = error;
  const asked = retryAfterMs !== undefined && retryAfterMs > budget_secs * 1000;
  const how = asked
    ? `It asks for ${Math.ceil(retryAfterMs / 1000)} s before the next try; tools.retry.budget_secs allows ${budget_secs}.`
    : tries > 1
      ? `It was tried ${tries} times.`
      : "";
  return how === "" ? error : new ModelError(error.fault, `${error.message} ${how}`, { cause: error });
}

/** Puts the pieces together again. */
function listener() {
  const said: AnswerPart[] = [];
  let finish: Finish | null = null;
  let usage: Usage | null = null;
  let isOpen = false;
  const add = (event: ModelEvent) => {
    if (event.type === "end") {
      finish = event.finish;
      usage = event.usage ?? null;
      return;
    }
    if (event.type === "request") {
      isOpen = false;
      said.push({ type: "request", request: event.request, ...(event.meta && { meta: event.meta }) });
      return;
    }
    const { type, text, meta } = event;
    const last = said.at(-1);
    const before = isOpen && last?.type === type ? (said.pop() as { text: string }).text : "";
    said.push({ type, text: before + text, ...(meta && { meta }) });
    isOpen = meta === undefined;
  };
  return {
    add,
    saidAnything: () => said.length > 0,
    textLength: () => said.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0),
    whole: (): ModelAnswer => ({ said, finish: finish ?? "stop", usage, whole: true }),
    // What it was about to ask for is not asked for, and a thought without its end is worth nothing to the provider.
    cut: (): ModelAnswer => ({ said: said.filter(({ type }) => type === "text"), finish: "other", usage, whole: false }),
  };
}

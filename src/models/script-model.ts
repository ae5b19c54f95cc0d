import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelEvent } from "../core/ports/model.ts";

/** How fast a scripted model speaks. */
export type ScriptPace =
  /** Milliseconds between two tokens: words, or pieces of long ones. */
  { readonly msPerToken: number } | { readonly charsPerSecond: number };

/** What may be said about a scripted model. */
export interface ScriptOptions {
  /** Default: `script`. */
  readonly id?: string;
  /** Texts and thoughts come token by token, so that streaming can be seen. Default: each at once. */
  readonly pace?: ScriptPace;
}

/** The model that reads its turns from a list. For demos and for tests; it says the same whatever it is asked. */
export function scriptModel(turns: readonly (readonly ModelEvent[])[], options: string | ScriptOptions = {}): Model {
  const { id = "script", pace } = typeof options === "string" ? { id: options } : options;
  assertPace(pace);
  let next = 0;
  return {
    id,
    images: true,
    async *stream(_prompt, signal) {
      signal.throwIfAborted();
      const turn = turns[next++] ?? [];
      const asks = turn.some(({ type }) => type === "request");
      for (const event of turn) {
        if (pace && (event.type === "text" || event.type === "thinking")) yield* paced(event, pace, signal);
        else yield event;
        signal.throwIfAborted();
      }
      if (turn.at(-1)?.type !== "end") yield { type: "end", finish: asks ? "calls" : "stop" };
    },
  };
}

function assertPace(pace: ScriptPace | undefined): void {
  if (pace === undefined) return;
  const [value, least] = "msPerToken" in pace ? [pace.msPerToken, 0] : [pace.charsPerSecond, Number.MIN_VALUE];
  if (!(Number.isFinite(value) && value >= least))
    throw new TypeError("pace is { msPerToken } from 0 on, or { charsPerSecond } of more than 0.");
}

type Spoken = Extract<ModelEvent, { type: "text" | "thinking" }>;

/** A word with the blanks before it, of long words six characters. */
const TOKEN = /\s*\S{1,6}|\s+/gu;

async function* paced({ type, text }: Spoken, pace: ScriptPace, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  for (const [token] of text.matchAll(TOKEN)) {
    const ms = "msPerToken" in pace ? pace.msPerToken : (1000 * token.length) / pace.charsPerSecond;
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    yield { type, text: token };
  }
}

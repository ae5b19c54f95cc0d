import { setTimeout as sleep } from "node:timers/promises";
import type { Finish, Model, ModelEvent } from "../core/ports/model.ts";
import { isRecord } from "../text/json.ts";
import { kindWords } from "../text/words.ts";

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

/** The model that reads its turns from a list. For demos and for tests; it says the same whatever it is asked. Throws a TypeError for what is no script. */
export function scriptModel(turns: readonly (readonly ModelEvent[])[], options: string | ScriptOptions = {}): Model {
  assertScript(turns);
  const { id = "script", pace } = typeof options === "string" ? { id: options } : options;
  assertPace(pace);
  let next = 0;
  return {
    id,
    images: true,
    audio: true,
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

function assertScript(turns: unknown): void {
  if (!Array.isArray(turns)) throw new TypeError(`scriptModel takes a list of turns, each a list of events, not ${kindWords(turns)}.`);
  for (const [n, turn] of turns.entries()) {
    if (!Array.isArray(turn))
      throw new TypeError(
        `scriptModel: turn ${n + 1} is ${kindWords(turn)}. A turn is a list of events: [[{ type: "text", text: "Hi." }]].`,
      );
    for (const [m, event] of turn.entries()) {
      const problem = eventProblem(event);
      if (problem !== null) throw new TypeError(`scriptModel: in turn ${n + 1} event ${m + 1} ${problem}`);
    }
  }
}

const FINISHES = Object.keys({ stop: true, calls: true, length: true, refused: true, other: true } satisfies Record<Finish, true>);

/** What is wrong with an event, by its type. */
const PROBLEMS: Readonly<Record<ModelEvent["type"], (event: Readonly<Record<string, unknown>>) => string | null>> = {
  text: ({ text }) => textProblem(text),
  thinking: ({ text }) => textProblem(text),
  request: ({ request }) =>
    isRecord(request) && typeof request.id === "string" && typeof request.name === "string"
      ? null
      : 'has no request with an id and a name: { type: "request", request: { id: "1", name: "read", args: { path: "a" } } }.',
  end: ({ finish }) =>
    FINISHES.includes(String(finish)) ? null : `has the finish ${kindWords(finish)}. It is one of ${FINISHES.join(", ")}.`,
};

const textProblem = (text: unknown) => (typeof text === "string" ? null : `has ${kindWords(text)} for a text.`);

function eventProblem(event: unknown): string | null {
  if (!isRecord(event)) return `is ${kindWords(event)}, not an object with a type.`;
  const { type } = event;
  if (typeof type !== "string" || !Object.hasOwn(PROBLEMS, type))
    return `has the type ${kindWords(type)}. It is one of ${Object.keys(PROBLEMS).join(", ")}.`;
  return PROBLEMS[type as ModelEvent["type"]](event);
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

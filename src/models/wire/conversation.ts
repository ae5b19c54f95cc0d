import type { Media } from "../../core/media/media.ts";
import type { Message, MessagePart } from "../../core/ports/model.ts";

export type MessageOf<R extends Message["role"]> = Extract<Message, { role: R }>;
export type PartOf<T extends MessagePart["type"]> = Extract<MessagePart, { type: T }>;

/** An answer and what came back: results belong right behind the requests, whatever was said between them. */
export interface AnswerExchange {
  readonly answer: MessageOf<"assistant"> | null;
  /** The answer is one of the model that is asked now. */
  readonly isOwn: boolean;
  /** What of the answer is sent. */
  readonly parts: readonly MessagePart[];
  readonly calls: readonly AnsweredCall[];
  readonly said: readonly MessageOf<"user">[];
}

export interface AnsweredCall {
  readonly request: PartOf<"request">;
  /** A request nobody answered makes the whole conversation illegal for most providers, so there is a result of each. */
  readonly result: Pick<MessageOf<"tool">, "text" | "failed" | "media">;
}

const NO_RESULT = { text: "There is no result of this call.", failed: true } as const;

/**
 * A conversation as every provider takes it. `own` is the id of the model: thinking and whatever a provider wants back go only to the
 * model they came from, and only where `takes` says that the provider takes it.
 */
export function exchangesOf(
  messages: readonly Message[],
  own: string,
  takes: (thought: PartOf<"thinking">) => boolean = () => true,
): AnswerExchange[] {
  const all: { answer: MessageOf<"assistant"> | null; results: Map<string, MessageOf<"tool">>; said: MessageOf<"user">[] }[] = [];
  const begin = (answer: MessageOf<"assistant"> | null) => all.push({ answer, results: new Map(), said: [] });
  begin(null);
  for (const message of messages) {
    if (message.role === "assistant") begin(message);
    else if (message.role === "tool") all.at(-1)!.results.set(message.id, message);
    else if (!isBlank(message.text)) all.at(-1)!.said.push(message);
  }
  return all.map(({ answer, results, said }) => {
    const isOwn = answer?.model === own;
    const parts = (answer?.parts ?? []).filter((part) =>
      part.type === "text" ? !isBlank(part.text) : part.type === "request" || (isOwn && takes(part)),
    );
    const calls = parts.flatMap((part) => (part.type === "request" ? [{ request: part, result: results.get(part.id) ?? NO_RESULT }] : []));
    // A thought that led to nothing is refused at the end of an answer, and alone it is no answer.
    return { answer, isOwn, parts: parts.slice(0, parts.findLastIndex(({ type }) => type !== "thinking") + 1), calls, said };
  });
}

/** Before media that cannot stand in their result, so that nobody takes them for the person's. */
export const returnedBy = ({ request }: AnsweredCall): string => `[returned by ${plainName(request.name)}]`;

export const dataUrl = ({ mediaType, data }: Pick<Media, "mediaType" | "data">): string => `data:${mediaType};base64,${data}`;

/** Providers refuse text of nothing but white space. */
const isBlank = (text: string) => text.trim() === "";

/**
 * Names and ids as every provider takes them. A model may ask for a tool by a name no tool can have, and ids of one provider
 * can be refused by another; either would be in every request from now on.
 */
export const plainName = (text: string): string => text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
export const callId = ({ id }: PartOf<"request">, isOwn: boolean): string => (isOwn ? id : plainName(id));

/** Arguments as they are sent back. Half a character, which JSON can spell, is refused by providers, and would be in every request from now on. */
export function sentArguments(args: unknown): object {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return {};
  if (!/\\ud[89a-f]/i.test(JSON.stringify(args))) return args;
  return JSON.parse(JSON.stringify(args), (_key, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

/** Text that is made of an object once: a tool is sent with every request. */
export function rememberText<K extends object>(make: (key: K) => string): (key: K) => string {
  const known = new WeakMap<K, string>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const text = make(key);
    known.set(key, text);
    return text;
  };
}

/** Where both sides must speak in turns: results and what is said behind them are one turn. */
export function speakInTurns<R extends string>(
  said: readonly (readonly [role: R, parts: readonly string[]])[],
): { readonly role: R; readonly parts: string[] }[] {
  const turns: { role: R; parts: string[] }[] = [];
  for (const [role, parts] of said) {
    const last = turns.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  return turns;
}

/** The smaller of two limits, each of which may be absent. */
export function fewer(own: number, asked: number | undefined): number;
export function fewer(own: number | undefined, asked: number | undefined): number | undefined;
export function fewer(own: number | undefined, asked: number | undefined): number | undefined {
  return own === undefined || asked === undefined ? (own ?? asked) : Math.min(own, asked);
}

import { estimateTokenCount } from "tokenx";
import { errorBlock, ToolError } from "../core/error.ts";
import type { CallFate } from "../core/ports/fleet/session.ts";
import type { Message } from "../core/ports/model.ts";
import { mediaTokens, withoutOldMedia } from "./media-limit.ts";

/** A longer text is weighed by samples of it, or nobody else would have a turn meanwhile. */
const LONGEST_WEIGHED = 400_000;
const SAMPLES = 16;

/** An estimate that is right within a few percent for text and code. A giant word is cheap to estimate, too. */
export function estimateTokens(text: string): number {
  if (text.length <= LONGEST_WEIGHED) return estimateTokenCount(text);
  const size = LONGEST_WEIGHED / SAMPLES;
  const step = (text.length - size) / (SAMPLES - 1);
  let tokens = 0;
  for (let n = 0; n < SAMPLES; n++) {
    const at = Math.floor(n * step);
    tokens += estimateTokenCount(text.slice(at, at + size));
  }
  return Math.round(tokens * (text.length / LONGEST_WEIGHED));
}

/** What a message weighs besides its text: roles, ids, brackets. */
const FRAME = 6;

export const tokensOf = (message: Message): number =>
  texts(message).reduce((sum, text) => sum + FRAME + estimateTokens(text), mediaTokens(message));

export const weighMessages = (messages: readonly Message[]): number => messages.reduce((sum, message) => sum + tokensOf(message), 0);

/** No text has more tokens than this. */
const MOST_PER_CHARACTER = 2;
export const mostTokensOf = (message: Message): number =>
  lengthsOf(message).reduce((sum, length) => sum + FRAME + MOST_PER_CHARACTER * length, mediaTokens(message));

export const messageLength = (message: Message): number => lengthsOf(message).reduce((sum, length) => sum + length, 0);

/** A message never changes and is weighed in every round, and to write its arguments out takes a while when they are long. */
const LENGTHS = new WeakMap<Message, readonly number[]>();
function lengthsOf(message: Message): readonly number[] {
  const known = LENGTHS.get(message) ?? texts(message).map(({ length }) => length);
  LENGTHS.set(message, known);
  return known;
}

function texts(message: Message): readonly string[] {
  if (message.role !== "assistant") return [message.text];
  return message.parts.map((part) => (part.type === "request" ? part.name + writtenArguments(part.args) : part.text));
}

/** As they are sent; of megabytes only the texts, for their length and weight, because to escape them takes a while. */
const writtenArguments = (args: object): string => {
  const [longest] = textsIn(args).sort((a, b) => b.length - a.length);
  return longest !== undefined && longest.length > LONGEST_WEIGHED ? textsIn(args).join(" ") : JSON.stringify(args);
};

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const SHORT = 200;
export const ELIDED = "[left out to make room; call again if it is needed]";

/** The message with less in it: a long result, images and recordings are left out with a mark. */
export const withoutResult = (message: Message): Message =>
  withoutOldMedia(message.role === "tool" && message.text.length > SHORT ? { ...message, text: ELIDED } : message, " to make room");

export const requestIds = (message: Message): readonly string[] =>
  message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "request" ? [part.id] : [])) : [];

export const calledTools = (messages: readonly Message[]): Set<string> =>
  new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "request" ? [part.name] : [])) : [],
    ),
  );

export const beginsTurn = (message: Message): boolean => message.role === "user" && message.from !== "loop" && message.from !== "server";

/** Requests at the end of a transcript whose calls nobody saw the end of: they run, or the process was killed while they ran. */
export function unanswered(messages: readonly Message[]): { readonly asker: number; readonly ids: readonly string[] } {
  const asker = messages.findLastIndex(({ role }) => role === "assistant");
  const asked = asker === -1 ? [] : requestIds(messages[asker]!);
  const answered = new Set(messages.slice(asker + 1).flatMap((message) => (message.role === "tool" ? [message.id] : [])));
  return { asker, ids: asked.filter((id) => !answered.has(id)) };
}

/** The result of a call whose own was not kept. Nothing is known of it unless a journal says more. */
export const lostResult = (id: string, fate: CallFate = "unknown"): Message => ({
  role: "tool",
  id,
  text: errorBlock(FATES[fate]),
  failed: true,
});

/** The result of a call whose question nobody answered. */
export const notRunResult = (id: string): Message => ({ role: "tool", id, text: errorBlock(NOT_RUN), failed: true });

const NOT_RUN = new ToolError("confirmation_required", "This call was not run: nobody answered whether it may.", {
  advice: "Nothing has changed by it. Call it again if it is still needed.",
});

const LOST = new ToolError("cancelled", "Zeph was stopped while this call ran. Whether it took effect is not known.", {
  advice: "Look at what it would have changed before you call it again.",
});

const ENDED = new ToolError("cancelled", "This call was made and ended, but its result was lost with the process that made it.", {
  advice: "Do not make it a second time. Look at what it changed to see how it ended.",
});

const NOT_MADE = new ToolError("cancelled", "Zeph was stopped before this call was made.", {
  advice: "Nothing has changed by it. Call it again if it is still needed.",
});

const FATES: Readonly<Record<CallFate, ToolError>> = { unknown: LOST, ended: ENDED, "not made": NOT_MADE };

/** The newest messages are what the model works on. */
export const RECENT = 8;

/**
 * How many messages from the first on a summary could stand for: not the newest, the last `keep` at least, and never a part of a round. A turn that is
 * over is not cut: its first words would have to be said again, and that may be most of it.
 */
export function endOfPast(messages: readonly Message[], keep: number, tokens: number, recent = RECENT): number {
  let end = messages.length;
  let weight = 0;
  for (; end > 0; end--) {
    const kept = messages.length - end;
    weight += tokensOf(messages[end - 1]!);
    if (kept >= keep && (kept >= recent || weight > tokens)) break;
  }
  // Behind results stands their request: whatever of its calls still runs, the round stays whole.
  while (end > 0 && messages[end]?.role === "tool") end--;
  const first = messages[end];
  if (!first || beginsTurn(first)) return end;
  const next = messages.slice(0, Math.max(0, messages.length - keep) + 1).findIndex((message, at) => at > end && beginsTurn(message));
  if (next !== -1) return next;
  // Directly behind its first words a turn is not cut either.
  while (end > 0 && messages[end - 1]!.role === "user") end--;
  return end;
}

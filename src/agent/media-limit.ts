import { withoutMedia } from "../core/media/left-out-media.ts";
import { base64Bytes, type Media } from "../core/media/media.ts";
import type { Message } from "../core/ports/model.ts";

/** So much is sent in one request: with more than twenty images Anthropic takes smaller ones only, and no provider takes any number of megabytes. */
const MOST_SENT = 20;
const MOST_BYTES = 15 * 1024 * 1024;
/** What is left when it was too much. Half of it goes at once, because each change of the past costs a provider what it has kept of it. */
const LEFT = 0.5;

/** What an image or a recording weighs, about: providers make large images smaller. */
const MOST_IMAGE_TOKENS = 1600;
const LEAST_IMAGE_TOKENS = 85;
const PIXELS_PER_TOKEN = 750;
const TOKENS_PER_SECOND = 32;

const weightOf = ({ width, height, seconds }: Pick<Media, "width" | "height" | "seconds">): number => {
  if (seconds !== undefined) return Math.ceil(seconds * TOKENS_PER_SECOND);
  if (width === undefined || height === undefined) return MOST_IMAGE_TOKENS;
  return Math.min(MOST_IMAGE_TOKENS, Math.max(LEAST_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN)));
};

/** Tokens of everything in a message that is no text. */
export function mediaTokens(message: Message): number {
  if (message.role === "user") return MOST_IMAGE_TOKENS * (message.images?.length ?? 0);
  return message.role === "assistant" ? 0 : (message.media ?? []).reduce((sum, one) => sum + weightOf(one), 0);
}

/** How many media a message holds, and how many bytes. */
export function mediaIn(message: Message): { readonly count: number; readonly bytes: number } {
  if (message.role === "assistant") return NONE;
  const sizes =
    message.role === "user" ? (message.images ?? []).map(({ data }) => base64Bytes(data)) : (message.media ?? []).map(({ bytes }) => bytes);
  return { count: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}
const NONE = { count: 0, bytes: 0 };

/** The message without them. */
export const withoutOldMedia = (message: Message, why = " because newer ones came"): Message => withoutMedia(message, () => true, why);

/** Which messages are sent without their media, because those of newer ones fill the room for such. The newest always keeps its own. */
export function overMediaLimit(messages: readonly Message[]): readonly number[] {
  const gone: number[] = [];
  const kept: { readonly at: number; readonly count: number; readonly bytes: number }[] = [];
  const sum = (what: "count" | "bytes") => kept.reduce((total, one) => total + one[what], 0);
  for (const [at, message] of messages.entries()) {
    const { count, bytes } = mediaIn(message);
    if (count === 0) continue;
    kept.push({ at, count, bytes });
    if (sum("count") <= MOST_SENT && sum("bytes") <= MOST_BYTES) continue;
    while (kept.length > 1 && (sum("count") > LEFT * MOST_SENT || sum("bytes") > LEFT * MOST_BYTES)) gone.push(kept.shift()!.at);
  }
  return gone;
}

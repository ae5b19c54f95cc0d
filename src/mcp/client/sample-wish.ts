import { checkMedia } from "../../core/media/media.ts";
import type { SampleWish } from "../../core/ports/mcp/sampling.ts";
import type { Message, MessageImage } from "../../core/ports/model.ts";
import { record } from "../../text/json.ts";
import { withoutHidden } from "./trust/hidden-text.ts";

const MOST_MESSAGES = 100;
const MOST_IMAGES = 4;
const MOST_CHARACTERS = 200_000;
/** A person reads all of it before they say yes. */
export const MOST_SHOWN = 20_000;

const IMAGE_TOKENS = 1600;
/** A cautious guess of how few characters a token has. */
const CHARACTERS_PER_TOKEN = 3;

export interface ReadWish {
  readonly wish: SampleWish;
  /** Everything that would be sent, for a person to read. */
  readonly shown: string;
  /** About how many tokens that is. */
  readonly tokens: number;
}

/** What a server asks for, in our own words and without secrets; or why it is not asked. */
export function readWish(params: unknown, mostAnswer: number, redact: (text: string) => string): ReadWish | { readonly refused: string } {
  const { messages, systemPrompt, maxTokens, stopSequences, includeContext, tools, toolChoice } = record(params);
  if (tools !== undefined || toolChoice !== undefined) return { refused: "no tools are offered in sampling" };
  if (includeContext !== undefined && includeContext !== "none") return { refused: "nothing of the conversation is given to servers" };
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MOST_MESSAGES)
    return { refused: `it takes from 1 to ${MOST_MESSAGES} messages` };
  if (typeof maxTokens !== "number" || !(maxTokens >= 1)) return { refused: "maxTokens is a number from 1 on" };
  const clean = (text: string) => redact(withoutHidden(text).toWellFormed());
  const read = messages.map((message) => messageOf(record(message), clean));
  const bad = read.find((message) => "refused" in message);
  if (bad && "refused" in bad) return bad;
  const good = read.filter((message) => !("refused" in message)) as Message[];
  if (good[0]?.role !== "user") return { refused: "the first message has to be one of the user" };
  const system = typeof systemPrompt === "string" ? clean(systemPrompt) : "";
  const shown = [...(system === "" ? [] : [`[system] ${system}`]), ...good.map(messageText)].join("\n");
  const images = good.reduce((sum, message) => sum + imagesOf(message).length, 0);
  if (images > MOST_IMAGES) return { refused: `${MOST_IMAGES} images are the most` };
  if (shown.length > MOST_CHARACTERS) return { refused: `its messages have more than ${MOST_CHARACTERS} characters` };
  const wish = {
    system,
    messages: good,
    maxTokens: Math.floor(Math.min(maxTokens, mostAnswer)),
    stop: stopsOf(stopSequences),
  };
  return { wish, shown, tokens: Math.ceil(shown.length / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS };
}

const MOST_STOPS = 16;
const stopsOf = (given: unknown): string[] =>
  Array.isArray(given) ? given.filter((one): one is string => typeof one === "string" && one !== "").slice(0, MOST_STOPS) : [];

function messageOf({ role, content }: Record<string, unknown>, clean: (text: string) => string): Message | { readonly refused: string } {
  const texts: string[] = [];
  const images: MessageImage[] = [];
  for (const block of (Array.isArray(content) ? content : [content]).map(record)) {
    if (block.type === "text" && typeof block.text === "string") texts.push(clean(block.text));
    else if (block.type === "image" && role === "user" && typeof block.data === "string") {
      const image = checkMedia(block.data, String(block.mimeType));
      if ("refused" in image) return { refused: `an image of it ${image.refused}` };
      images.push({ mediaType: image.mediaType as MessageImage["mediaType"], data: image.data });
    } else return { refused: "only texts, and images of the user, can be sent" };
  }
  const text = texts.join("\n");
  if (text.trim() === "") return { refused: "a message of it has no text" };
  if (role === "assistant") return { role, model: "", parts: [{ type: "text", text }] };
  return role === "user" ? { role, text, ...(images.length > 0 && { images }) } : { refused: "a message is the user's or the assistant's" };
}

const imagesOf = (message: Message): readonly MessageImage[] => (message.role === "user" ? (message.images ?? []) : []);

const messageText = (message: Message): string => {
  if (message.role === "assistant") return `[assistant] ${message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}`;
  const images = imagesOf(message).map(({ mediaType }) => ` [${mediaType}]`);
  return `[${message.role}] ${message.text}${images.join("")}`;
};

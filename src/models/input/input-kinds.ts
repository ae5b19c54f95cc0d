import type { ProviderConfig } from "../config.ts";

type Named = Pick<ProviderConfig, "type" | "model" | "api" | "images" | "input">;

/** What a model takes besides text: as the configuration says, or as is known of its name. A name that nobody knows takes text. */
export function inputKinds({ type, model, api, images, input }: Named): { readonly images: boolean; readonly audio: boolean } {
  if (input) return { images: input.includes("image"), audio: input.includes("audio") };
  return { images: images ?? isKnown(model, IMAGES), audio: takesAudio({ type, api }) && isKnown(model, AUDIO) };
}

/** Whether its API has a place for recordings. */
export const takesAudio = ({ type, api }: Pick<Named, "type" | "api">): boolean =>
  type === "gemini" || type === "compatible" || (type === "openai" && api === "chat");

interface KnownNames {
  readonly takes: readonly RegExp[];
  readonly not: readonly RegExp[];
}

/** Of `anthropic/claude-…` and the like, which servers for many models have, the part behind the last slash. */
const isKnown = (model: string, { takes, not }: KnownNames): boolean => {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return takes.some((one) => one.test(name)) && !not.some((one) => one.test(name));
};

/** A request with an image that a model does not take is refused, and so is every one after it. Whoever is not here says `input`. */
const IMAGES: KnownNames = {
  takes: [
    /^claude-/,
    /^(?:chatgpt-4o|gpt-4o|gpt-4\.\d|gpt-4-turbo|gpt-4-vision|gpt-[5-9]|o[134](?:$|-)|codex-mini|computer-use)/,
    /^gemini-/,
    /^gemma-?[34]/,
    /(?:^|[-_.\d])vl(?:$|[-_:.\d])/,
    /vision|llava|pixtral|moondream|minicpm-[vo]|^llama-?4|^mistral-(?:small-?3\.[12]|medium-?3|large-?3)|^grok-4|^qwen-?2\.5-?omni|^kimi-k2\.5/,
  ],
  not: [
    /^claude-(?:2|instant)/,
    /^o1-(?:mini|preview)|^o3-mini/,
    /-audio|realtime|transcribe|search-preview|embedding/,
    /^gemma-?3.*(?:\b|:)(?:1b|270m)/,
  ],
};

const AUDIO: KnownNames = {
  takes: [/^gpt-(?:4o|4o-mini)?-?audio/, /^gemini-/, /^qwen-?2\.5-?omni|^voxtral/],
  not: [/embedding|image|tts/],
};

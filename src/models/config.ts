import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";
import { defaultsOf, PROVIDER_TYPES } from "./defaults.ts";
import { takesAudio } from "./input/input-kinds.ts";

const NO_KEYS_HERE =
  "a key does not belong in this file. Put it into the environment or into the private file keys.toml beside your user configuration, and name it with api_key_env.";

const NO_NAME = "it is the name of a variable, such as MY_API_KEY, and not the key itself.";

const price = makeOnce(() =>
  z.strictObject({
    input: z.number().min(0),
    output: z.number().min(0),
    cache_read: z.number().min(0).optional(),
    cache_write: z.number().min(0).optional(),
  }),
);

const provider = makeOnce(() =>
  z.strictObject({
    name: z.string().regex(/^[\w.-]{1,64}$/),
    type: z.enum(PROVIDER_TYPES),
    model: z.string().min(1).max(500),
    base_url: z
      .url({ protocol: /^https?$/ })
      .refine((text) => !/^[^/]*\/\/[^/?#]*@/.test(text), NO_KEYS_HERE)
      .optional(),
    // Both refuse without showing what they found: it may be a key.
    api_key_env: z
      .string()
      .refine((name) => /^[A-Za-z_]\w*$/.test(name), NO_NAME)
      .meta({ pattern: "^[A-Za-z_]\\w*$" })
      .optional(),
    api_key: z
      .unknown()
      .refine((value) => value === undefined, NO_KEYS_HERE)
      .meta({ not: {} })
      .optional(),
    embedding_model: z.string().min(1).optional(),
    context_tokens: z.int().min(1000).max(100_000_000).optional(),
    max_output_tokens: z.int().min(1).max(10_000_000).optional(),
    reasoning: z.boolean().default(false),
    thinking_tokens: z.int().min(1024).max(1_000_000).optional(),
    tool_use: z.boolean().default(true),
    images: z.boolean().optional(),
    input: z
      .array(z.enum(["text", "image", "audio"]))
      .min(1)
      .max(3)
      .optional(),
    api: z.enum(["responses", "chat"]).default("responses"),
    price: price().optional(),
    /** Node's own fetch gives up after 300 s of silence. */
    timeout_secs: z.int().min(1).max(300).default(300),
  }),
);
export type ProviderConfig = z.output<ReturnType<typeof provider>>;

/** A project may bring none of this until it is trusted: a server of its choice would read everything the model is told. */
export const llmConfig = makeOnce(() =>
  z
    .strictObject({
      default: setting(z.string().default(""), 'The name of the provider that is used when none is named; "" is the first one.'),
      embedding_provider: setting(
        z.string().default(""),
        'The provider whose `embedding_model` turns texts into vectors, for memory and for choosing tools. "" is the first one that has an `embedding_model`; `packaged` is the npm package @energetic-ai/embeddings, if it is installed; `none` does without.',
      ),
      providers: setting(
        z.array(provider()).max(100).default([]),
        `Models, written as \`[[llm.providers]]\` with \`name\`, \`type\` (${PROVIDER_TYPES.join(", ")}) and \`model\`; ` +
          "`base_url`, `api_key_env`, `context_tokens`, `max_output_tokens`, `reasoning`, `thinking_tokens`, `tool_use`, `input`, `images`, `api`, `price`, " +
          "`embedding_model` and `timeout_secs` where wanted. docs/models.md explains them. Keys are never written here.",
      ),
    })
    .prefault({})
    .superRefine(({ default: chosen, providers }, context) => {
      const names = providers.map(({ name }) => name);
      for (const [i, name] of names.entries())
        if (names.indexOf(name) < i)
          context.addIssue({ code: "custom", path: ["providers", i, "name"], message: `"${name}" is the name of two providers.` });
      // Providers may be in another file than the choice; with none at all it is told when a model is wanted.
      if (chosen !== "" && names.length > 0 && !names.includes(chosen))
        context.addIssue({
          code: "custom",
          path: ["default"],
          message: `there is no provider "${chosen}". The providers are ${names.join(", ")}.`,
        });
      for (const [i, one] of providers.entries())
        for (const [key, why] of misplaced(one)) context.addIssue({ code: "custom", path: ["providers", i, key], message: why });
    }),
);
export type LlmConfig = z.output<ReturnType<typeof llmConfig>>;

/** Settings that would be silently without effect. */
function misplaced({ name, type, base_url, thinking_tokens, reasoning, api, input, images }: ProviderConfig): [string, string][] {
  const found: [string, string][] = [];
  if (type === "compatible" && base_url === undefined && defaultsOf({ name, type }).url === undefined)
    found.push(["base_url", "a compatible provider needs the address of its server."]);
  if (thinking_tokens !== undefined && (type !== "anthropic" || !reasoning))
    found.push(["thinking_tokens", 'it counts only with type = "anthropic" and reasoning = true.']);
  if (reasoning && type === "openai" && api === "chat") found.push(["reasoning", 'it counts only with api = "responses".']);
  if (api === "chat" && type !== "openai") found.push(["api", 'it counts only with type = "openai".']);
  if (input !== undefined && images !== undefined) found.push(["images", "input says it already; leave one of them out."]);
  if (input && !input.includes("text")) found.push(["input", 'every model takes text; add "text".']);
  if (input?.includes("audio") && !takesAudio({ type, api })) found.push(["input", AUDIO_ELSEWHERE]);
  return found;
}

const AUDIO_ELSEWHERE = 'recordings can be sent only to gemini, to a compatible server, and to openai with api = "chat".';

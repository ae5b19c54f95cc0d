import type { KeyReader } from "../../config/api-keys.ts";
import { ModelError } from "../../core/model-error.ts";
import type { Model, Price } from "../../core/ports/model.ts";
import { createAnthropicModel } from "../../models/anthropic.ts";
import { baseUrlOf } from "../../models/base-url.ts";
import { createChatModel, createCompatibleModel } from "../../models/chat.ts";
import type { LlmConfig, ProviderConfig } from "../../models/config.ts";
import { defaultsOf, FOUND_BY_KEY, type ProviderType } from "../../models/defaults.ts";
import { createFencedModel } from "../../models/fenced-model.ts";
import { createGeminiModel } from "../../models/gemini.ts";
import { inputKinds } from "../../models/input/input-kinds.ts";
import { newestOllamaModel, ollamaUrl } from "../../models/ollama.ts";
import { createResponsesModel } from "../../models/responses.ts";
import { readScript } from "../../models/script.ts";
import type { ProviderSetup } from "../../models/setup.ts";
import { modelId } from "../../models/wire/wire-model.ts";
import { didYouMean } from "../../text/nearest.ts";

export interface ModelWish {
  readonly llm: LlmConfig;
  /** A provider's name; the default one when absent. */
  readonly name?: string;
  readonly keys: KeyReader;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly warn?: (message: string) => void;
}

/** The model of a provider in the configuration. Throws a ModelError when there is none of that name or its key is missing. */
export async function openModel(wish: ModelWish): Promise<Model> {
  const { llm, keys, env = process.env, warn } = wish;
  const provider = chosen(wish);
  if (!provider) throw new ModelError("unknown_model", noSuchProvider(wish.name || llm.default, llm));
  const setup = setupOf(provider, keys, env, once(warn));
  const price = setup.price ?? (await listedPrice(provider, setup, env));
  const opened = await OPEN[provider.type]({ ...setup, ...(price && { price }) }, provider);
  return provider.tool_use ? opened : createFencedModel(opened);
}

/** From the installed list, for requests to the usual address of a provider: another one may ask for other prices. */
async function listedPrice(provider: ProviderConfig, { contextTokens }: ProviderSetup, env: NonNullable<ModelWish["env"]>) {
  if (baseUrlOf(provider, env).from !== "default" || provider.type === "script") return undefined;
  const { packagedPrice } = await import("../../models/prices/packaged-price.ts");
  return packagedPrice({ type: provider.type, model: provider.model, contextTokens });
}

/** The model to use when nobody said which: the configured one, or what a key or a local server offers. Null when there is nothing. */
export async function findModel(wish: ModelWish): Promise<Model | null> {
  const { llm, name, keys, env = process.env } = wish;
  if (llm.providers.length > 0 || name || llm.default) return openModel(wish);
  const found = (provider: Pick<ProviderConfig, "name" | "type" | "model">) =>
    openModel({ ...wish, llm: { default: "", embedding_provider: "", providers: [{ ...BARE, ...provider }] } });
  for (const provider of FOUND_BY_KEY) {
    const { keyName, model } = defaultsOf(provider);
    if (keys(keyName!)) return found({ ...provider, model: model! });
  }
  const local = await newestOllamaModel(ollamaUrl(env.OLLAMA_HOST));
  return local === null ? null : found({ name: "ollama", type: "ollama", model: local });
}

const BARE = { reasoning: false, tool_use: true, api: "responses", timeout_secs: 300 } as const;

const OPEN: Readonly<Record<ProviderType, (setup: ProviderSetup, provider: ProviderConfig) => Model | Promise<Model>>> = {
  anthropic: createAnthropicModel,
  openai: (setup, { api }) => (api === "chat" ? createChatModel(setup) : createResponsesModel(setup)),
  gemini: createGeminiModel,
  ollama: createCompatibleModel,
  compatible: createCompatibleModel,
  script: async ({ asked, contextTokens, price, reasoning }) => ({
    ...(await readScript(asked.model, modelId(asked)).catch((error) => {
      throw new ModelError("unknown_model", (error as Error).message, { cause: error });
    })),
    contextTokens,
    ...(price && { price }),
    ...(reasoning && { reasoning }),
  }),
};

function chosen({ llm: { default: usual, providers }, name }: ModelWish): ProviderConfig | undefined {
  const wanted = name || usual;
  return wanted ? providers.find((one) => one.name === wanted) : providers[0];
}

function noSuchProvider(name: string, { providers }: LlmConfig): string {
  const names = providers.map((one) => one.name);
  if (names.length === 0)
    return `${name ? `There is no provider "${name}": none is configured.` : "No provider is configured."} Add one with [[llm.providers]]; docs/models.md shows how.`;
  return `There is no provider "${name}". The providers are ${names.join(", ")}.${didYouMean(name, names)}`;
}

export function setupOf(
  provider: ProviderConfig,
  keys: KeyReader,
  env: NonNullable<ModelWish["env"]>,
  warn: ProviderSetup["warn"],
): ProviderSetup {
  const { name, type, model, context_tokens, max_output_tokens, reasoning, thinking_tokens, timeout_secs } = provider;
  const { url } = baseUrlOf(provider, env);
  const key = keyOf(provider, keys);
  if (key && isOpenRoad(url)) warn?.(`${name}: the key goes to ${new URL(url).host} without encryption. Use https.`);
  return {
    asked: { name, type, model, url, key },
    contextTokens: context_tokens ?? defaultsOf(provider).contextTokens,
    timeoutMs: timeout_secs * 1000,
    reasoning,
    ...inputKinds(provider),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(thinking_tokens !== undefined && { thinkingTokens: thinking_tokens }),
    ...(provider.price && { price: priceOf(provider.price) }),
    ...(warn && { warn }),
  };
}

function keyOf({ name, type, api_key_env }: ProviderConfig, keys: KeyReader) {
  const from = api_key_env ?? defaultsOf({ name, type }).keyName;
  if (from === undefined) return undefined;
  const value = keys(from);
  if (!value)
    throw new ModelError(
      "no_key",
      `${name} needs a key and there is none in ${from}. Set the variable ${from}, or write ${from} = "…" into keys.toml beside your user configuration (chmod 600).`,
    );
  // What cannot stand in a header would be shown by the error about it.
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new ModelError("wrong_key", `The key in ${from} contains characters that no key has. Copy it again.`);
  return { from, value };
}

const priceOf = ({ input, output, cache_read, cache_write }: NonNullable<ProviderConfig["price"]>): Price => ({
  input,
  output,
  ...(cache_read !== undefined && { cacheRead: cache_read }),
  ...(cache_write !== undefined && { cacheWrite: cache_write }),
});

function isOpenRoad(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** A warning is true for every request; it is told once. */
function once(warn: ModelWish["warn"]): ProviderSetup["warn"] {
  const told = new Set<string>();
  return (message) => {
    if (!told.has(message)) warn?.(message);
    told.add(message);
  };
}

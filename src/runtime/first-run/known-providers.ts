import type { LlmConfig, ProviderConfig } from "../../models/config.ts";
import { defaultsOf, FOUND_BY_KEY, type ProviderType } from "../../models/defaults.ts";
import { attempt } from "../../text/attempt.ts";

/** A provider that needs nothing but a key. */
export interface KnownProvider {
  readonly name: string;
  readonly type: ProviderType;
  /** As people call it. */
  readonly label: string;
  readonly keyName: string;
  /** How its keys begin. */
  readonly begins: readonly string[];
}

const ABOUT: Readonly<Record<string, Pick<KnownProvider, "label" | "begins">>> = {
  anthropic: { label: "Anthropic", begins: ["sk-ant-"] },
  openai: { label: "OpenAI", begins: ["sk-"] },
  gemini: { label: "Gemini", begins: ["AIza", "AQ."] },
  openrouter: { label: "OpenRouter", begins: ["sk-or-"] },
};

/** In the order in which they are looked for. */
export const listKnownProviders = (): readonly KnownProvider[] =>
  FOUND_BY_KEY.map(({ name, type }) => ({ name, type, keyName: defaultsOf({ name, type }).keyName!, ...ABOUT[name]! }));

/** What is wrong with the form of a key: nothing, something that no key has, or a beginning that those of this provider do not have. */
export function keyForm(key: string, begins: readonly string[]): "fits" | "no key" | "unusual" {
  if (!/^[\x21-\x7e]{8,1000}$/.test(key)) return "no key";
  const others = Object.values(ABOUT).flatMap((one) => one.begins);
  const beginning = others.filter((one) => key.startsWith(one)).sort((a, b) => b.length - a.length)[0];
  return begins.length === 0 || (beginning !== undefined && begins.includes(beginning)) ? "fits" : "unusual";
}

/** The provider a chat would use, and where its key is looked for. */
export interface DefaultModel {
  readonly provider: Pick<ProviderConfig, "name" | "type" | "model"> & { readonly base_url?: string };
  readonly keyName: string | undefined;
  readonly isKeyMissing: boolean;
}

/** What is configured, or what a key makes possible; null where there is neither. A local server is not looked for. */
export function findDefaultModel(llm: LlmConfig, keys: (name: string) => string | undefined): DefaultModel | null {
  const has = (name: string) => attempt(() => Boolean(keys(name)), false);
  if (llm.providers.length === 0) {
    const found = FOUND_BY_KEY.find((one) => has(defaultsOf(one).keyName!));
    if (!found) return null;
    const { keyName, model } = defaultsOf(found);
    return { provider: { ...found, model: model! }, keyName, isKeyMissing: false };
  }
  const provider = llm.default === "" ? llm.providers[0] : llm.providers.find(({ name }) => name === llm.default);
  if (!provider) return null;
  const { name, type, model, base_url } = provider;
  const keyName = provider.api_key_env ?? defaultsOf(provider).keyName;
  return {
    provider: { name, type, model, ...(base_url !== undefined && { base_url }) },
    keyName,
    isKeyMissing: keyName !== undefined && !has(keyName),
  };
}

/** The configured provider whose key is missing; null where none is configured. */
export function providerWithoutKey(llm: LlmConfig, keys: (name: string) => string | undefined): KnownProvider | null {
  const found = llm.providers.length === 0 ? null : findDefaultModel(llm, keys);
  if (!found?.isKeyMissing) return null;
  const { name, type } = found.provider;
  return { name, type, label: name, keyName: found.keyName!, begins: [] };
}

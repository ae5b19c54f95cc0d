import type { ProviderConfig } from "./config.ts";

export type ProviderType = ProviderConfig["type"];

interface Defaults {
  readonly url?: string;
  /** The variable or the entry of keys.toml that holds the key, unless `api_key_env` names another. */
  readonly keyName?: string;
  readonly contextTokens: number;
  /** What is used when nothing is configured but a key is there. */
  readonly model?: string;
}

/** What holds for a provider unless the configuration says otherwise. The only place with names of models. */
export const DEFAULTS: Readonly<Record<ProviderType, Defaults>> = {
  anthropic: { url: "https://api.anthropic.com/v1", keyName: "ANTHROPIC_API_KEY", contextTokens: 200_000, model: "claude-sonnet-5-5" },
  openai: { url: "https://api.openai.com/v1", keyName: "OPENAI_API_KEY", contextTokens: 128_000, model: "gpt-5.6" },
  ollama: { url: "http://127.0.0.1:11434/v1", contextTokens: 32_768 },
  compatible: { contextTokens: 32_768 },
  script: { contextTokens: 128_000 },
};

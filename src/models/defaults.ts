interface Defaults {
  readonly url?: string;
  /** The variable or the entry of keys.toml that holds the key, unless `api_key_env` names another. */
  readonly keyName?: string;
  readonly contextTokens: number;
  /** What is used when nothing is configured but a key is there. */
  readonly model?: string;
}

/** Every type of provider, and what holds for it unless the configuration says otherwise. Names of models are here, and in `input/input-kinds.ts`. */
const DEFAULTS = {
  anthropic: {
    url: "https://api.anthropic.com/v1",
    keyName: "ANTHROPIC_API_KEY",
    contextTokens: 200_000,
    model: "claude-sonnet-5-5",
  },
  openai: { url: "https://api.openai.com/v1", keyName: "OPENAI_API_KEY", contextTokens: 128_000, model: "gpt-5.6" },
  gemini: {
    url: "https://generativelanguage.googleapis.com/v1beta",
    keyName: "GEMINI_API_KEY",
    contextTokens: 1_000_000,
    model: "gemini-flash-latest",
  },
  ollama: { url: "http://127.0.0.1:11434/v1", contextTokens: 32_768 },
  compatible: { contextTokens: 32_768 },
  script: { contextTokens: 128_000 },
} as const satisfies Readonly<Record<string, Defaults>>;

export type ProviderType = keyof typeof DEFAULTS;
export const PROVIDER_TYPES = Object.keys(DEFAULTS) as ProviderType[];

/** Servers with OpenAI's chat API whose address is known: a `compatible` provider of such a name needs no `base_url`. */
const KNOWN_SERVERS: Readonly<Record<string, Defaults>> = {
  openrouter: { url: "https://openrouter.ai/api/v1", keyName: "OPENROUTER_API_KEY", contextTokens: 128_000, model: "openrouter/auto" },
};

interface NamedProvider {
  readonly name: string;
  readonly type: ProviderType;
}

export const defaultsOf = ({ name, type }: NamedProvider): Defaults =>
  (type === "compatible" && Object.hasOwn(KNOWN_SERVERS, name) && KNOWN_SERVERS[name]) || DEFAULTS[type];

/** Providers that are used without any configuration, when their key is there: the first one that has one. */
export const FOUND_BY_KEY: readonly NamedProvider[] = [
  { name: "anthropic", type: "anthropic" },
  { name: "openai", type: "openai" },
  { name: "gemini", type: "gemini" },
  { name: "openrouter", type: "compatible" },
];

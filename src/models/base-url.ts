import { ModelError } from "../core/model-error.ts";
import { attempt } from "../text/attempt.ts";
import type { ProviderConfig } from "./config.ts";
import { defaultsOf, type ProviderType } from "./defaults.ts";
import { ollamaUrl } from "./ollama.ts";
import type { ModelVariables } from "./proxy.ts";

const NAMES: Partial<Record<ProviderType, string>> = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
  gemini: "GOOGLE_GEMINI_BASE_URL",
  ollama: "OLLAMA_HOST",
};

/** Where requests to a provider go, and who said so. */
export interface BaseUrl {
  readonly url: string;
  /** `base_url`, the name of a variable, or `default`. */
  readonly from: string;
}

/** The configured address; else the one of the person's own environment, which no file of a project can set; else the usual one. Throws a ModelError. */
export function baseUrlOf(
  { name: provider, type, base_url }: Pick<ProviderConfig, "name" | "type" | "base_url">,
  env: ModelVariables,
): BaseUrl {
  if (base_url !== undefined) return { url: trimmed(base_url), from: "base_url" };
  const name = NAMES[type];
  const given = name === undefined ? undefined : env[name]?.trim();
  // Only a script has none, and it goes nowhere.
  if (name === undefined || !given) return { url: trimmed(defaultsOf({ name: provider, type }).url ?? "file:"), from: "default" };
  if (type === "ollama") return { url: trimmed(ollamaUrl(given)), from: name };
  const url = attempt(() => new URL(given), null);
  // What it says may hold a key.
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new ModelError(
      "bad_request",
      `${name} is not an address without a key in it, such as https://proxy.example/v1. Put it right, or unset it.`,
    );
  return { url: trimmed(given), from: name };
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");

import { abortAfter } from "../text/abort.ts";
import { defaultsOf } from "./defaults.ts";
import { modelFetch } from "./model-fetch.ts";

const PORT = 11434;

/** Where Ollama listens, from OLLAMA_HOST as Ollama itself reads it; its default when that is unset or no address. */
export function ollamaUrl(host: string | undefined): string {
  const fallback = defaultsOf({ name: "ollama", type: "ollama" }).url!;
  const given = host?.trim().replace(/\/+$/, "") ?? "";
  if (given === "") return fallback;
  const hasScheme = /^https?:\/\//i.test(given);
  const withHost = hasScheme ? given : `http://${given.startsWith(":") ? `127.0.0.1${given}` : given}`;
  if (!URL.canParse(withHost)) return fallback;
  const url = new URL(withHost);
  if (!url.port && !hasScheme) url.port = String(PORT);
  // Where a server listens on every address, it is reached on this one.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/v1`;
}

const LOOK_MS = 500;
const MAX_LIST = 1024 * 1024;

/** The model that was pulled last; null when no Ollama answers soon or it has none. */
export async function newestOllamaModel(url: string, waitMs = LOOK_MS): Promise<string | null> {
  try {
    const response = await modelFetch(new URL("../api/tags", `${url}/`), { signal: abortAfter(waitMs), redirect: "error" });
    if (!response.ok || !response.body) return null;
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_LIST) return null;
    }
    return newest(JSON.parse(text));
  } catch {
    return null;
  }
}

function newest(list: any): string | null {
  const models: any[] = Array.isArray(list?.models) ? list.models : [];
  const named = models.filter((one) => typeof one?.name === "string" && one.name !== "" && !/embed/i.test(one.name));
  const age = (one: any) => Date.parse(one.modified_at) || 0;
  return named.sort((a, b) => age(b) - age(a))[0]?.name ?? null;
}

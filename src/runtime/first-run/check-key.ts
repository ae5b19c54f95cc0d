import { baseUrlOf } from "../../models/base-url.ts";
import type { ProviderType } from "../../models/defaults.ts";
import { modelFetch } from "../../models/model-fetch.ts";
import { newestOllamaModel, ollamaUrl } from "../../models/ollama.ts";
import { abortAfter } from "../../text/abort.ts";
import { parseJson, record } from "../../text/json.ts";

/** What a provider says to a key. */
export type KeyCheck =
  | { readonly result: "accepted"; readonly models: readonly string[] }
  | { readonly result: "refused" | "unreachable" | "wrong address"; readonly detail: string };

export interface AskedAddress {
  readonly name: string;
  readonly type: ProviderType;
  readonly base_url?: string;
  readonly key: string | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

const LONGEST_MS = 10_000;
const MOST_CHARS = 4 * 1024 * 1024;

/** Where a key would be sent. Throws a ModelError. */
export const addressOf = ({ key: _key, ...provider }: AskedAddress, env: Variables): string =>
  baseUrlOf({ ...provider, base_url: provider.base_url }, env).url;

/** Asks a provider for its list of models, with the key. Nothing else is sent, and a redirect is not followed. */
export async function checkModelKey(asked: AskedAddress, env: Variables, signal: AbortSignal): Promise<KeyCheck> {
  const url = addressOf(asked, env);
  // OpenRouter shows its list to everybody; what a key may do it tells only to the key.
  const page = asked.name === "openrouter" && asked.type === "compatible" ? "key" : "models";
  try {
    const response = await modelFetch(`${url}/${page}`, {
      headers: headersOf(asked),
      redirect: "manual",
      signal: AbortSignal.any([signal, abortAfter(LONGEST_MS)]),
    });
    const text = await textOf(response);
    const isJson = parseJson(text) !== undefined;
    const { status } = response;
    if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(text)))
      return { result: "refused", detail: `HTTP ${status}` };
    if (response.ok && isJson) return { result: "accepted", models: modelsIn(parseJson(text)) };
    if (status === 429 || status >= 500) return { result: "unreachable", detail: `it answers, but with HTTP ${status}` };
    return { result: "wrong address", detail: response.ok ? "what came back is not a list of models" : `HTTP ${status}` };
  } catch (error) {
    return { result: "unreachable", detail: reasonOf(error) };
  }
}

/** The newest model of the Ollama on this machine; "empty" where it has none, "absent" where none answers. */
export async function lookForOllama(env: Variables): Promise<{ readonly model: string } | "empty" | "absent"> {
  const url = ollamaUrl(env.OLLAMA_HOST);
  const model = await newestOllamaModel(url, LOOK_MS);
  if (model !== null) return { model };
  const check = await checkModelKey({ name: "ollama", type: "ollama", base_url: url, key: null }, env, abortAfter(LOOK_MS));
  return check.result === "accepted" ? "empty" : "absent";
}

const LOOK_MS = 2000;

function headersOf({ type, key }: AskedAddress): Record<string, string> {
  if (key === null) return {};
  if (type === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return type === "gemini" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_CHARS) break;
  }
  return text;
}

/** OpenAI's and Anthropic's list is `data` with `id`, Gemini's `models` with `name`. */
function modelsIn(list: unknown): readonly string[] {
  const { data, models } = record(list);
  const entries: unknown[] = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return entries.map((one) => record(one).id ?? record(one).name).filter((name): name is string => typeof name === "string" && name !== "");
}

const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no host of that name, or no network",
  EAI_AGAIN: "the name could not be looked up: is there a network?",
};

function reasonOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one.name === "TimeoutError" || one.name === "AbortError") return "nobody answered in time";
    const { code } = one as NodeJS.ErrnoException;
    if (typeof code === "string") return WHY[code] ?? code;
  }
  return "the connection failed";
}

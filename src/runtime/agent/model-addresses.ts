import type { LlmConfig, ProviderConfig } from "../../models/config.ts";
import { defaultsOf, FOUND_BY_KEY } from "../../models/defaults.ts";
import { abortAfter } from "../../text/abort.ts";
import { attempt } from "../../text/attempt.ts";

/** Where a provider's key goes, and whether somebody answers there. */
export interface ModelAddress {
  readonly provider: string;
  readonly address: string;
  /** `base_url`, the name of a variable, or `default`. */
  readonly from: string;
  /** Where the key is looked for; null for a provider without one. */
  readonly key: { readonly name: string; readonly found: boolean } | null;
  /** The host of the proxy that requests go through; null when they go directly. */
  readonly proxy: string | null;
  /** Null where nobody was asked. */
  readonly answers: boolean | null;
  /** What came back, in a few words. Never a key. */
  readonly detail: string;
}

const MOST_PROVIDERS = 10;
const LONGEST_MS = 5_000;

export interface AddressParts {
  readonly llm: LlmConfig;
  readonly keys: (name: string) => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Offline nobody is asked, and where keys go is told all the same. */
  readonly asks: "online" | "offline";
}

/** Asks at each address without the key: whoever answers anything is there. Everything is loaded only where there is a provider. */
export async function tryModelAddresses({ llm, keys, env, asks }: AddressParts): Promise<readonly ModelAddress[]> {
  const providers = llm.providers.length > 0 ? llm.providers : usual(keys);
  const those = providers.filter(({ type }) => type !== "script").slice(0, MOST_PROVIDERS);
  if (those.length === 0) return [];
  const [{ baseUrlOf }, { proxyFor }, { modelFetch }] = await Promise.all([
    import("../../models/base-url.ts"),
    import("../../models/proxy.ts"),
    import("../../models/model-fetch.ts"),
  ]);
  const look = async (provider: Named): Promise<ModelAddress> => {
    const name = provider.api_key_env ?? defaultsOf(provider).keyName;
    const known = {
      provider: provider.name,
      key: name === undefined ? null : { name, found: attempt(() => Boolean(keys(name)), false) },
    };
    try {
      const { url, from } = baseUrlOf(provider, env);
      const said = { ...known, address: url, from, proxy: proxyFor(url, env)?.host ?? null };
      if (asks === "offline") return { ...said, answers: null, detail: "not asked" };
      try {
        const response = await modelFetch(`${url}/models`, { redirect: "manual", signal: abortAfter(LONGEST_MS) });
        response.body?.cancel().catch(() => {});
        return { ...said, answers: true, detail: `answers (${response.status})` };
      } catch (error) {
        return { ...said, answers: false, detail: reason(error) };
      }
    } catch (error) {
      return { ...known, address: "", from: "", proxy: null, answers: false, detail: (error as Error).message };
    }
  };
  return Promise.all(those.map(look));
}

type Named = Pick<ProviderConfig, "name" | "type" | "base_url" | "api_key_env">;

/** What is used when nothing is configured but a key is there. */
const usual = (keys: AddressParts["keys"]): readonly Named[] =>
  FOUND_BY_KEY.filter((provider) => attempt(() => Boolean(keys(defaultsOf(provider).keyName!)), false)).slice(0, 1);

function reason(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `nobody answered within ${LONGEST_MS / 1000} s`;
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException;
    if (typeof code === "string") return `nobody answers (${code})`;
  }
  return "nobody answers";
}

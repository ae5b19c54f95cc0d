import { proxyFor } from "./proxy.ts";

/** `fetch` for requests to models, and for nothing else: the person's proxy counts here. A page that a tool fetches never goes through it. */
export const modelFetch: typeof fetch = async (input, init) => {
  const proxy = proxyFor(input instanceof Request ? input.url : String(input));
  if (!proxy) return fetch(input, init);
  const through = known.get(proxy.href) ?? openProxy(proxy.href);
  known.set(proxy.href, through);
  return (await through)(input, init);
};

/** One for each proxy: it keeps its connections. */
const known = new Map<string, Promise<typeof fetch>>();

async function openProxy(uri: string): Promise<typeof fetch> {
  // Of a bundled package only this name is there.
  const { fetch: fetchThrough, ProxyAgent } = (await import("undici")).default;
  // Unencrypted requests are handed to the proxy as they are; the others go through a tunnel it cannot look into.
  const dispatcher = new ProxyAgent({ uri, proxyTunnel: false });
  return async (input, init) => {
    const { body, status, statusText, headers } = await fetchThrough(String(input), { ...(init as object), dispatcher });
    return new Response(body as unknown as ReadableStream | null, { status, statusText, headers: [...headers] });
  };
}

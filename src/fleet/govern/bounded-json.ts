import { abortAfter } from "../../text/abort.ts";

/** What an issuer of tokens publishes is small. */
const MOST_BYTES = 256 * 1024;
const TIMEOUT_MS = 5000;

/** The issuer cannot be reached, or says nothing useful: nobody can tell now who sent a request. */
export class IssuerAway extends Error {
  override readonly name = "IssuerAway";
}

/** Reads JSON from an address, up to a limit, and follows nothing. */
export async function fetchSmall(url: string, init: { readonly signal?: AbortSignal } = {}): Promise<Response> {
  assertIssuerAddress(url);
  try {
    const signal = init.signal ?? abortAfter(TIMEOUT_MS);
    const response = await fetch(url, { redirect: "error", headers: { accept: "application/json" }, signal });
    if (response.status !== 200 || !response.body) throw new IssuerAway(`${url} answered ${response.status}.`);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body) {
      size += part.length;
      if (size > MOST_BYTES) throw new IssuerAway(`${url} answered with more than ${MOST_BYTES} bytes.`);
      parts.push(part);
    }
    return new Response(Buffer.concat(parts), { status: 200, headers: { "content-type": "application/json" } });
  } catch (error) {
    if (error instanceof IssuerAway) throw error;
    throw new IssuerAway(`${url} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Keys that came over a line anybody can write on would prove nothing. */
export function assertIssuerAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url?.protocol !== "https:" && !isLocal) throw new RangeError(`An issuer of tokens has an address of https: "${text}" is none.`);
}

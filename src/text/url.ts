import { bounded } from "./visible.ts";

/** Parameters whose value may open something. */
const SECRET =
  /token|key|secret|passw|pwd|pass$|auth|sig|code|session|sid$|cred|jwt|bearer|otp|cookie|nonce|state$|hash|hmac|saml|ticket|assertion/i;
const LONGEST = 2048;

/** A URL for logs and messages: who would read it must not be able to use it. */
export function maskUrl(url: URL): string {
  const query = url.search === "" ? "" : `?${url.search.slice(1).replace(/[^&;]+/g, maskParameter)}`;
  const text = `${url.protocol}//${url.host}${url.pathname}${query}`;
  return bounded(text, LONGEST);
}

function maskParameter(part: string): string {
  const at = part.indexOf("=");
  if (at === -1) return part.length > 20 ? "***" : part;
  return hasSecret(part) ? `${part.slice(0, at)}=***` : part;
}

/** By its own name, or by a name inside it: a parameter may be a URL with parameters. What cannot be read counts as secret. */
function hasSecret(parameter: string): boolean {
  try {
    const inside = decodeURIComponent(parameter).split(/[?&;#]/);
    return inside.some((part) => part.includes("=") && SECRET.test(part.slice(0, part.indexOf("="))));
  } catch {
    return true;
  }
}

/** The one spelling of an address, whatever somebody wrote: no default port, no dot behind the host, no fragment, no `..`. Null when it is none. */
export function spelled(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = "";
  url.username = "";
  url.password = "";
  const host = url.hostname.replace(/\.$/, "");
  if (host !== url.hostname && host !== "") url.hostname = host;
  return url.href;
}

import { isIP } from "node:net";
import { attempt } from "../../text/attempt.ts";

export interface DomainLists {
  readonly allowed_domains: readonly string[];
  readonly denied_domains: readonly string[];
}

/** Null when the lists let a host be asked. A host is a name in lower case, or an address. */
export function whyListed(host: string, { allowed_domains, denied_domains }: DomainLists): "denied_domains" | "allowed_domains" | null {
  if (denied_domains.some((pattern) => matchesDomain(pattern, host))) return "denied_domains";
  if (allowed_domains.length === 0) return null;
  // Nobody can say which domain an address belongs to.
  return isIP(host) === 0 && allowed_domains.some((pattern) => matchesDomain(pattern, host)) ? null : "allowed_domains";
}

export const isDomainPattern = (pattern: string): boolean => reduced(bare(pattern)) !== null;

/** `x.com` is that name alone, `*.x.com` only what is below it. */
export function matchesDomain(pattern: string, host: string): boolean {
  const domain = reduced(bare(pattern));
  if (domain === null) return false;
  return pattern.startsWith("*.") ? host.endsWith(`.${domain}`) : host === domain;
}

const bare = (pattern: string) => pattern.replace(/^\*\./, "");

/** A domain as URLs spell it: lower case, punycode, no dot at the end. Null for what is no host alone. */
function reduced(domain: string): string | null {
  if (/[\s/\\?#@:*]/.test(domain) && isIP(domain) !== 6) return null;
  const url = attempt(() => new URL(`https://${isIP(domain) === 6 ? `[${domain}]` : domain}/`), null);
  return url?.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") || null;
}

import { isIP } from "node:net";
import { attempt } from "../../text/attempt.ts";
import { whyNotPublic } from "./address.ts";
import { type DomainLists, whyListed } from "./domains.ts";
import { isName, isPrivateName } from "./names.ts";

/** Which wall a URL ran into. `url`: it is none. */
export type UrlRule = "url" | "scheme" | "userinfo" | "port" | "private_name" | "private_address" | "allowed_domains" | "denied_domains";

export interface UrlRefusal {
  readonly rule: UrlRule;
  readonly why: string;
}

/** A URL that may be asked, as far as it can be told without DNS. */
export interface Target {
  /** The one spelling that is sent: no fragment, no dot after the host. */
  readonly url: URL;
  /** What is looked up and what the certificate must name; an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isAddress: boolean;
}

export interface UrlLimits extends DomainLists {
  readonly ports: readonly number[];
}

/** What keeps a URL from being asked, or null. It looks nothing up, so what a name stands for is checked again at each hop. */
export function judgeUrl(url: string, limits: UrlLimits): UrlRefusal | null {
  const read = readUrl(url, limits);
  return "rule" in read ? read : null;
}

/** `base` is where a redirect came from. */
export function readUrl(text: string, limits: UrlLimits, base?: URL): Target | UrlRefusal {
  if (text.length > LONGEST) return { rule: "url", why: `The URL is longer than ${LONGEST} characters.` };
  const url = parseUrl(text, base);
  if (!url) return { rule: "url", why: "This is not a URL. Give a whole one, such as https://example.com/page." };
  if (url.protocol !== "https:")
    return { rule: "scheme", why: `Only https is allowed, not ${quote(url.protocol)}. Try the same page with https.` };
  if (url.username !== "" || url.password !== "")
    return { rule: "userinfo", why: "The URL has a user name or password in it. Leave everything before the @ out." };

  // The parser has already made one spelling of decimal, octal, hex, short, full-width and percent-encoded hosts.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isAddress = isIP(host) !== 0;
  const refusal = isAddress ? judgeAddress(host) : judgeName(host);
  if (refusal) return refusal;
  const port = url.port === "" ? 443 : Number(url.port);
  if (!limits.ports.includes(port))
    return { rule: "port", why: `Port ${port} is not allowed, only ${limits.ports.join(", ")} (tools.scrape.ports).` };
  const list = whyListed(host, limits);
  if (list === "denied_domains") return { rule: list, why: `${host} is in tools.scrape.denied_domains.` };
  if (list) return { rule: list, why: `${host} is not in tools.scrape.allowed_domains.` };

  if (!isAddress) url.hostname = host;
  url.hash = "";
  return { url, host, port, isAddress };
}

const LONGEST = 8192;

function judgeAddress(address: string): UrlRefusal | null {
  const why = whyNotPublic(address);
  return why === null ? null : { rule: "private_address", why: `${address} is ${why}. Only public addresses are allowed.` };
}

function judgeName(name: string): UrlRefusal | null {
  if (!isName(name)) return { rule: "url", why: "The URL has no host name that could exist. Check its spelling." };
  if (isPrivateName(name)) return { rule: "private_name", why: `${name} is a name inside a network. Only public names are allowed.` };
  return null;
}

export const parseUrl = (text: string, base?: URL): URL | null => attempt(() => new URL(text, base), null);

const quote = (scheme: string) => JSON.stringify(scheme.slice(0, 20).replace(/:$/, ""));

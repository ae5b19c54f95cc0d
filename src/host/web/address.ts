import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Every IPv6 address that is globally routed today begins with these three bits. What is outside is no destination. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by its number, and inside a cloud the machine's own host: it hands out settings and certificates to whoever asks. */
const PLATFORM = new Set(["168.63.129.16"]);

/** Words for the ranges people meet; any other range is called special. */
const RANGES: Record<string, string> = {
  unspecified: "an unspecified address",
  loopback: "a loopback address",
  private: "a private address",
  linkLocal: "a link-local address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  carrierGradeNat: "a carrier's internal address",
  multicast: "a multicast address",
  broadcast: "the broadcast address",
  ipv4Mapped: "an IPv4 address in disguise",
  rfc6145: "an IPv4 address in disguise",
  rfc6052: "an IPv4 address in disguise",
  "6to4": "an IPv4 address in disguise",
  teredo: "an IPv4 address in disguise",
};

/**
 * Null for a global unicast address, else what it is. A range that carries an IPv4 address inside is refused whole:
 * what is at its other end depends on a translator nobody here knows.
 */
export function whyNotPublic(address: string): string | null {
  // Strict, so that no octal or short form is read in two ways, and no zone picks the network card.
  if (isIP(address) === 0 || address.includes("%")) return "no address";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== "unicast") return RANGES[range] ?? "a special-purpose address";
  if (PLATFORM.has(parsed.toString())) return "the address of a cloud's platform";
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return "outside the global unicast addresses";
  return null;
}

/** One spelling for each address. What is none, or names a network card, stays as it is and is refused as such. */
export const canonicalAddress = (address: string): string =>
  isIP(address) === 0 || address.includes("%") ? address : ipaddr.parse(address).toString();

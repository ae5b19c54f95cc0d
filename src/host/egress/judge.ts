import { isIP } from "node:net";
import { attempt } from "../../text/attempt.ts";
import { matchesDomain } from "../web/domains.ts";
import { isName, isPrivateName } from "../web/names.ts";

/** Where a command wants to go, as its client wrote it. */
export interface WantedTarget {
  readonly host: string;
  readonly port: number;
}

/** The lists of the settings. `@registries` stands for the names that the person's own tools load from. */
export interface DomainRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What can be said before anybody is asked and anything is looked up. `host` is the one spelling that goes on. */
export type JudgedTarget = WantedTarget &
  ({ readonly verdict: "open" | "unknown" } | { readonly verdict: "refused"; readonly why: string });

export const REGISTRIES = "@registries";

/** Nothing else is ever dialled: what is behind other ports speaks other protocols. */
const PORTS: readonly number[] = [443, 80];

/** Pure: the same name and lists have the same answer. A denial always wins. */
export function judgeTarget({ host: written, port }: WantedTarget, { allow, deny }: DomainRules): JudgedTarget {
  const host = written.toLowerCase().replace(/\.$/, "");
  const refused = (why: string): JudgedTarget => ({ host, port, verdict: "refused", why });
  const problem = closedNameReason(host);
  if (problem !== null) return refused(problem);
  if (!PORTS.includes(port)) return refused(`port ${port} is closed, only ${PORTS.join(" and ")} can be opened`);
  if (deny.some((pattern) => matchesDomain(pattern, host))) return refused(`${host} is in tools.sandbox.deny_domains`);
  const isOpen = allow.some((pattern) => pattern !== REGISTRIES && matchesDomain(pattern, host));
  return { host, port, verdict: isOpen ? "open" : "unknown" };
}

/** Why a name can never be opened; null when it can. In lower case, with no dot at the end. */
export function closedNameReason(host: string): string | null {
  const address = isIP(host.replace(/^\[|\]$/g, "")) !== 0;
  // The parser knows every spelling of an address that a resolver takes: decimal, octal, hexadecimal, short.
  const reduced = attempt(() => new URL(`http://${host}/`).hostname, null);
  if (address || (reduced !== null && isIP(reduced.replace(/^\[|\]$/g, "")) !== 0)) return "only names can be opened, no addresses";
  if (reduced !== host || !isName(host)) return "this is not a name that could exist";
  if (isPrivateName(host)) return "names inside a network stay closed";
  return null;
}

/** A line of `allow_domains`. */
export function isOpenable(pattern: string): boolean {
  return pattern === REGISTRIES || closedNameReason(pattern.toLowerCase().replace(/^\*\./, "").replace(/\.$/, "")) === null;
}

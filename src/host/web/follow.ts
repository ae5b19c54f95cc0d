import type { Duplex } from "node:stream";
import { ToolError } from "../../core/error.ts";
import type { Egress } from "../../core/ports/web.ts";
import { maskUrl } from "../../text/url.ts";
import { canonicalAddress, whyNotPublic } from "./address.ts";
import type { Clock } from "./clock.ts";
import { loadExchange, type PageAnswer } from "./exchange.ts";
import { statusFailure, unreachableFailure } from "./failures.ts";
import { parseUrl, readUrl, type Target, type UrlLimits, type UrlRule } from "./url.ts";

/** How a page is reached. */
export interface FollowOptions {
  readonly limits: UrlLimits & { readonly max_body_bytes: number };
  lookup(hostname: string, signal: AbortSignal): Promise<readonly string[]>;
  dial(to: { readonly address: string; readonly port: number; readonly servername: string }, signal: AbortSignal): Promise<unknown>;
  readonly clock: Clock;
  /** What may be said at one URL and no other: which version of the page is known. */
  readonly known: { readonly url: string; readonly conditions: Readonly<Record<string, string>> } | null;
  /** Asked about each redirect, before anything is looked up: the person's own rules. */
  mayFollow?(url: string): Promise<FollowRefusal | null>;
  /** Told once for each hop, before anything is made of it. */
  onEgress(egress: Egress): void | Promise<void>;
}

export interface FollowRefusal {
  readonly rule: string;
  readonly why: string;
}

export interface Arrival {
  readonly target: Target;
  readonly answer: PageAnswer;
  /** The version that is known is the one in force. */
  readonly unchanged: boolean;
}

export const MAX_REDIRECTS = 3;

/** Follows redirects by hand: each hop goes through every wall, with a lookup of its own. */
export async function followRedirects(first: string, way: FollowOptions): Promise<Arrival> {
  let text = first;
  let base: URL | undefined;
  for (let hop = 0; ; hop++) {
    const arrival = await oneHop(text, { base, hop, way });
    const { target, answer } = arrival;
    if (arrival.unchanged || answer.body) return arrival;
    if (!REDIRECTS.has(answer.status)) throw statusFailure(answer.status, target, answer.headers["retry-after"]);
    if (hop === MAX_REDIRECTS)
      throw new ToolError(
        "permanent_failure",
        `${maskUrl(new URL(first))} was redirected more than ${MAX_REDIRECTS} times. Try another URL.`,
      );
    text = locationOf(answer, target);
    base = target.url;
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface Hop {
  readonly base: URL | undefined;
  readonly hop: number;
  readonly way: FollowOptions;
}

async function oneHop(text: string, { base, hop, way }: Hop): Promise<Arrival> {
  const begun = performance.now();
  const url = parseUrl(text, base);
  const told: { -readonly [K in keyof Egress]: Egress[K] } = {
    url: url ? maskUrl(url) : "(no URL)",
    host: url?.hostname ?? "",
    hop,
    durationMs: 0,
  };
  /** Nothing wrong with a call that is led astray by a server, so only the first URL can be a wrong argument. */
  const refused = (rule: UrlRule, why: string, secret = ""): ToolError => {
    told.blocked = `${rule}: ${why}${secret}`;
    if (hop === 0) return new ToolError(rule === "url" ? "invalid_parameters" : "policy_blocked", why);
    return new ToolError("policy_blocked", `The page redirects to an address that is not allowed. ${why}`);
  };
  try {
    const target = readUrl(text, way.limits, base);
    if ("rule" in target) throw refused(target.rule, target.why);
    told.host = target.host;
    const bar = hop === 0 || !way.mayFollow ? null : await way.clock.wait(async () => way.mayFollow!(target.url.href));
    if (bar) {
      told.blocked = `${bar.rule}: ${bar.why}`;
      throw new ToolError("policy_blocked", `The page redirects to ${maskUrl(target.url)}, which is not allowed. ${bar.why}`);
    }
    const addresses = await addressesOf(target, way);
    for (const address of addresses) {
      const why = whyNotPublic(address);
      // Which address a private name has is for the log, not for who asked.
      if (why) throw refused("private_address", `${target.host} stands for ${why}. Only public addresses are allowed.`, ` (${address})`);
    }
    const exchange = await loadExchange();
    const socket = await dialOne(target, addresses, way, (address) => {
      told.address = address;
    }).catch((error: unknown) => {
      if (error instanceof ToolError && error.category === "policy_blocked") told.blocked = error.message;
      throw error;
    });
    const conditions = way.known?.url === target.url.href ? way.known.conditions : {};
    const answer = await exchange({
      target,
      socket,
      conditions,
      maxBytes: way.limits.max_body_bytes,
      clock: way.clock,
      onStatus(status) {
        told.status = status;
      },
      onChunk(received) {
        told.bytes = received;
      },
    });
    return { target, answer, unchanged: answer.status === 304 && Object.keys(conditions).length > 0 };
  } catch (error) {
    if (told.blocked === undefined) told.failed = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    await way.onEgress({ ...told, durationMs: Math.round(performance.now() - begun) });
  }
}

/** All of them, asked for once: what is checked is what is dialled. */
async function addressesOf({ host, isAddress }: Target, { lookup, clock }: FollowOptions): Promise<readonly string[]> {
  if (isAddress) return [host];
  const answers: unknown = await clock
    .wait(async () => lookup(host, clock.signal))
    .catch((error: unknown) => {
      throw unreachableFailure(error, `${host} could not be looked up`);
    });
  clock.heard();
  if (!Array.isArray(answers) || answers.length === 0)
    throw new ToolError("network_error", `${host} has no address. Check the spelling of the name.`);
  return [...new Set(answers.map((answer) => canonicalAddress(String(answer))))];
}

/** The first address that answers. */
async function dialOne(
  { host, port }: Target,
  addresses: readonly string[],
  { dial, clock }: FollowOptions,
  onTry: (address: string) => void,
): Promise<Duplex> {
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_TRIES)) {
    onTry(address);
    try {
      const socket = await clock.wait(async () => dial({ address, port, servername: host }, clock.signal), hangUp);
      if (!isSocket(socket)) throw new TypeError("The dialler gave no socket.");
      clock.heard();
      return socket;
    } catch (error) {
      if (clock.signal.aborted) throw clock.signal.reason;
      // A wall that speaks here is not asked again at the next address.
      if (error instanceof ToolError) throw error;
      failure = error;
    }
  }
  throw unreachableFailure(failure, `${host} could not be reached`);
}

const MAX_TRIES = 4;

const isSocket = (value: unknown): value is Duplex =>
  typeof value === "object" &&
  value !== null &&
  ["on", "write", "read", "destroy"].every((act) => typeof Reflect.get(value, act) === "function");

function hangUp(value: unknown): void {
  if (!isSocket(value)) return;
  value.on("error", () => {});
  value.destroy();
}

function locationOf({ headers, status }: PageAnswer, { url }: Target): string {
  const { location } = headers;
  if (typeof location === "string" && location.trim() !== "") return utf8(location);
  throw new ToolError("permanent_failure", `${maskUrl(url)} answered ${status} without saying where the page is. Try another URL.`);
}

/** Headers come one byte a character; names of pages are UTF-8 more often than not. */
const utf8 = (header: string): string => {
  const text = Buffer.from(header, "latin1").toString("utf8");
  return text.includes("\ufffd") ? header : text;
};

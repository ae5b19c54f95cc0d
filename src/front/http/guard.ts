import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Why a request is not let in. */
export interface RequestRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Head = Pick<IncomingMessage, "headers" | "rawHeaders"> & { readonly socket: { readonly localPort?: number | undefined } };

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
/** Headers that decide about access may come once: of two, another reader might take the other. */
const ONCE = ["host", "origin", "authorization"];

/**
 * A page in a browser can make the browser send requests here, under a name that leads to this machine. So the request has to name us by a name
 * that is ours, letter by letter, and must not come from a page of anybody else: another port of this machine is somebody else's, too. What sends
 * no Origin is no page. `publicly` is the address under which a proxy serves us.
 */
export function refuseStranger(
  { headers: { host, origin }, rawHeaders, socket }: Head,
  boundTo: string,
  publicly: URL | null = null,
): RequestRefusal | null {
  const twice = ONCE.find((name) => rawHeaders.filter((raw, n) => n % 2 === 0 && raw.toLowerCase() === name).length > 1);
  if (twice !== undefined) return { status: 400, message: `Bad request: the header ${twice} is sent more than once.` };
  const names = [...new Set([...LOCAL, isIP(boundTo) === 6 ? `[${boundTo}]` : boundTo.toLowerCase()])];
  const isPublic = publicly !== null && host?.toLowerCase() === publicly.host;
  if (!isPublic && !(isAnywhere(boundTo) ? isPlain(host) : isOurs(host, names, socket.localPort)))
    return { status: 403, message: `Forbidden: this server is not ${quoted(host)}.` };
  if (origin !== undefined && origin !== publicly?.origin && !isOwnPage(origin, names, socket.localPort))
    return { status: 403, message: `Forbidden: requests from the page ${quoted(origin)} are not taken.` };
  return null;
}

/** Compared in constant time, whatever is given: both are hashed first. */
export function createTokenCheck(token: string): (request: IncomingMessage) => RequestRefusal | null {
  const wanted = hash(token);
  return ({ headers }) => {
    const [, given = ""] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    if (timingSafeEqual(hash(given), wanted)) return null;
    const problem = headers.authorization === undefined ? "" : ', error="invalid_token"';
    return {
      status: 401,
      message: "Unauthorized: send the token this server printed when it started, as Authorization: Bearer <token>.",
      headers: { "www-authenticate": `Bearer realm="zeph"${problem}` },
    };
  };
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** Bound to every address there is: which names and ports lead here cannot be known. The token still has to be right. */
const isAnywhere = (host: string) => host === "0.0.0.0" || host === "::";
const isPlain = (host = "") => /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host);

/** The port goes without saying only where it is the one of HTTP. */
const isOurs = (host = "", names: readonly string[], port: number | undefined) =>
  names.some((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])].includes(host.toLowerCase()));

/** A page this very server could have served: its name and its port. There is no TLS here, so it is no page of https. */
const isOwnPage = (origin: string, names: readonly string[], port: number | undefined) =>
  /^http:\/\//i.test(origin) && isOurs(origin.slice("http://".length), names, port);

const hash = (text: string) => createHash("sha256").update(text).digest();
const quoted = (text: string | undefined) => JSON.stringify((text ?? "").slice(0, 100));

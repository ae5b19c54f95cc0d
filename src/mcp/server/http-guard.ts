import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

/** Why a request is not let in. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/**
 * A page in a browser can make the browser send requests here, under a name that leads to this machine. So the request has to name us by a name
 * that is ours, and must not come from a page somewhere else.
 */
export function stranger({ headers }: IncomingMessage, boundTo: string): Refusal | null {
  const names = isLoopback(boundTo) ? LOCAL : [...LOCAL, isIP(boundTo) === 6 ? `[${boundTo}]` : boundTo.toLowerCase()];
  // A name and a port, and nothing that a reader of addresses would take for something else.
  const isPlain = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(headers.host ?? "");
  const host = validateHostHeader(headers.host, isAnywhere(boundTo) ? [...names, hostnameOf(headers.host)] : names);
  if (!isPlain || !host.ok) return { status: 403, message: `Forbidden: this server is not ${quoted(headers.host)}.` };
  const origin = validateOriginHeader(headers.origin, names);
  if (!origin.ok) return { status: 403, message: `Forbidden: requests from the page ${quoted(headers.origin)} are not taken.` };
  return null;
}

/** Compared in constant time, whatever is given: both are hashed first. */
export function tokenCheck(token: string): (request: IncomingMessage) => Refusal | null {
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

/** Bound to every address there is: which names lead here cannot be known. The token still has to be right. */
const isAnywhere = (host: string) => host === "0.0.0.0" || host === "::";

const hash = (text: string) => createHash("sha256").update(text).digest();
const quoted = (text: string | undefined) => JSON.stringify((text ?? "").slice(0, 100));
const hostnameOf = (host: string | undefined) => {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return "";
  }
};

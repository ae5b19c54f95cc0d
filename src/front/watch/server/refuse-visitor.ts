import type { IncomingMessage } from "node:http";
import { type RequestRefusal, refuseStranger } from "../../http/guard.ts";

/** From our own page, or typed and opened by the person: a page elsewhere does not even link here. */
const OWN_WAYS: readonly (string | undefined)[] = ["same-origin", "none", undefined];

/**
 * Whether a request comes from somebody else's page, or under a name that is not ours. There is one name, letter by letter; `localhost` is
 * another. What decides may come once.
 */
export function refuseVisitor(request: IncomingMessage, { origin }: URL): RequestRefusal | null {
  const name = origin.slice("http://".length);
  const { host, origin: page, "sec-fetch-site": way } = request.headers;
  const refused = refuseStranger(request, new URL(origin).hostname);
  if (refused) return refused;
  if (host !== name) return { status: 403, message: "Forbidden: this server has another name." };
  if (page !== undefined && page !== origin) return { status: 403, message: "Forbidden: requests from other pages are not taken." };
  if (!OWN_WAYS.includes(way as string | undefined)) return { status: 403, message: "Forbidden: requests from other pages are not taken." };
  if (request.method === "POST" && page === undefined)
    return { status: 403, message: "Forbidden: a form says which page it is from (Origin), and this request does not." };
  return null;
}

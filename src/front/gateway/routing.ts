import type { RequestRefusal } from "../http/guard.ts";
import { refusal } from "./reply.ts";
import type { Route } from "./request.ts";

/** The route of a path, with the parts it leaves open; or why there is none. */
export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { readonly route: Route; readonly words: readonly string[] } | RequestRefusal {
  const parts = path.split("/").map(decode);
  const fits = routes.filter((route) => isLike(route.path.split("/"), parts));
  if (fits.length === 0) return refusal(404, "There is nothing at this address. The API is at /v1, MCP at /mcp.");
  const route = fits.find((one) => one.method === method);
  if (!route) return refusal(405, "This method is not for this address.", { allow: fits.map((one) => one.method).join(", ") });
  const words = route.path.split("/").flatMap((part, place) => (part === "*" ? [parts[place]!] : []));
  return { route, words };
}

const isLike = (wanted: readonly string[], parts: readonly string[]): boolean =>
  wanted.length === parts.length && wanted.every((part, place) => (part === "*" ? parts[place] !== "" : part === parts[place]));

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

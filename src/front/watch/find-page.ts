import { attempt } from "../../text/attempt.ts";
import type { WatchRoute } from "./watch-route.ts";

export type FoundPage =
  | { readonly route: WatchRoute; readonly words: readonly string[] }
  | { readonly refused: string; readonly status: 404 | 405; readonly allow?: string };

/** The route of an address with the parts it leaves open, or why there is none. */
export function findPage(routes: readonly WatchRoute[], method: string, path: string): FoundPage {
  const parts = path.split("/").map((part) => attempt(() => decodeURIComponent(part), part));
  const fits = routes.filter((route) => isAt(route.path.split("/"), parts));
  if (fits.length === 0) return { refused: explainMissing(parts[1] ?? ""), status: 404 };
  const route = fits.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  if (!route) return { refused: "This method is not for this address.", status: 405, allow: fits.map((one) => one.method).join(", ") };
  return { route, words: route.path.split("/").flatMap((part, place) => (part === "*" ? [parts[place]!] : [])) };
}

/** Commands that show what former pages showed. */
const COMMANDS: Readonly<Record<string, string>> = {
  savings: "zeph filter savings",
  memory: "zeph memory --all",
  skills: "zeph skills",
  schedule: "zeph schedule --all",
  servers: "zeph mcp list",
  trust: "zeph trust --list",
};

const explainMissing = (name: string): string =>
  Object.hasOwn(COMMANDS, name) ? `There is no such page. In a terminal: ${COMMANDS[name]}` : "There is no such page.";

const isAt = (wanted: readonly string[], parts: readonly string[]): boolean =>
  wanted.length === parts.length && wanted.every((part, place) => (part === "*" ? parts[place] !== "" : part === parts[place]));

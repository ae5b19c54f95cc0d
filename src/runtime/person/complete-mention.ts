import type { ServerResource } from "../../mcp/client/offers/offer-list.ts";
import type { Mcp } from "../mcp.ts";
import { canBeNamed } from "./mention-words.ts";

const MOST = 200;

/** What a word that begins with @ may become: a server with resources, one of them, or the next piece of an address with variables. */
export async function completeMention(mcp: Mcp, word: string): Promise<readonly string[]> {
  const [, name = "", typed] = /^@([\w-]*)(?::(.*))?$/s.exec(word) ?? [];
  const servers = mcp.states().filter(({ trust, resources, templates }) => trust !== "untrusted" && resources + templates > 0);
  if (typed === undefined) return servers.map((one) => `@${one.name}:`).filter((choice) => choice.startsWith(word));
  const server = servers.find((one) => one.name === name);
  if (!server) return [];
  const known = mcp.offers.resources(name);
  // It is started, and the next key finds what it has.
  if (known.length === 0) void mcp.connect(name).catch(() => {});
  const listed = known.filter(({ kind, uri }) => kind === "resource" && uri.startsWith(typed)).map(({ uri }) => uri);
  const filled = await Promise.all(known.filter(({ kind }) => kind === "template").map((template) => filledIn(template, typed, mcp)));
  return [...new Set([...listed, ...filled.flat()])]
    .filter(canBeNamed)
    .slice(0, MOST)
    .map((uri) => `@${name}:${uri}`);
}

/** The resources that servers list, as they are named in a message, without the @. */
export const resourceNames = (mcp: Mcp): readonly string[] =>
  mcp
    .states()
    .filter(({ trust }) => trust !== "untrusted")
    .flatMap(({ name }) => mcp.offers.resources(name))
    .flatMap(({ server, kind, uri }) => (kind === "resource" && canBeNamed(uri) ? [`${server}:${uri}`] : []));

/** How an address with variables goes on after what is typed of it. */
async function filledIn({ server, uri }: ServerResource, typed: string, { offers }: Mcp): Promise<readonly string[]> {
  const place = wantedPiece(uri, typed);
  if (place === null) return [];
  if ("literal" in place) return [place.literal];
  const values = await offers.suggest(server, { template: uri }, place);
  return values.map((value) => typed.slice(0, typed.length - place.value.length) + value);
}

/** A variable that is being typed, with those before it; or the text up to the next variable. Null where what is typed does not fit. */
export function wantedPiece(
  template: string,
  typed: string,
): { readonly literal: string } | { readonly name: string; readonly value: string; readonly before: Record<string, string> } | null {
  const before: Record<string, string> = {};
  let at = 0;
  // Literals are at even places, variables at odd ones.
  const pieces = template.split(/\{([^{}]*)\}/);
  for (let n = 0; n < pieces.length; n += 2) {
    const literal = pieces[n]!;
    const rest = typed.slice(at);
    if (!rest.startsWith(literal)) return literal.startsWith(rest) ? { literal: typed.slice(0, at) + literal } : null;
    at += literal.length;
    const name = pieces[n + 1];
    if (name === undefined) return null;
    // Lists, queries and the like are typed by hand.
    if (!/^\+?[\w.]+$/.test(name)) return null;
    const value = typed.slice(at);
    const next = pieces[n + 2]!;
    const end = next === "" ? -1 : value.indexOf(next[0]!);
    const key = name.replace("+", "");
    if (end < 0) return { name: key, value, before };
    before[key] = value.slice(0, end);
    at += end;
  }
  return null;
}

/** `@server:uri` in a message. */
export interface Mention {
  readonly server: string;
  readonly uri: string;
}

/** Not in the middle of a word: an address for mail has something before its @. */
const MENTION = /(?<![^\s("'`[{<])@([a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?):([^\s<>"`]+)/gi;
/** What can be nothing but an address. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const LONGEST_TEXT = 100_000;

/** Whether all of it would be read behind `@server:`: a blank or a quote ends a mention. */
export const canBeNamed = (uri: string): boolean => /^[^\s<>"`]+$/.test(uri);

/** A full stop that ends a sentence is no part of an address. */
export const withoutEnd = (uri: string): string => uri.replace(/[.,;:!?)\]}'"]+$/, "");

/**
 * The resources a message names. A word counts where a server of that name is there; `strange` are those that name no server and look like an
 * address all the same. Anything else with an @ in it is a word.
 */
export function resourcesNamed(
  text: string,
  servers: readonly string[],
): { readonly found: readonly Mention[]; readonly strange: readonly Mention[] } {
  const found = new Map<string, Mention>();
  const strange = new Map<string, Mention>();
  if (servers.length === 0 || !text.includes("@")) return { found: [], strange: [] };
  for (const [, name = "", uri = ""] of text.slice(0, LONGEST_TEXT).matchAll(MENTION)) {
    const server = servers.find((one) => one.toLowerCase() === name.toLowerCase());
    if (server !== undefined) found.set(`${server}:${uri}`, { server, uri });
    else if (ADDRESS.test(uri)) strange.set(`${name}:${uri}`, { server: name, uri: withoutEnd(uri) });
  }
  return { found: [...found.values()], strange: [...strange.values()] };
}

import type { ToolSpec } from "../core/ports/model.ts";

/** Says how well each tool fits what was asked. */
export interface Ranking {
  rank(query: string, tools: readonly ToolSpec[], signal: AbortSignal): Promise<Ranked>;
}

export interface Ranked {
  readonly by: "bm25" | "embeddings";
  /** By name, from 0 to 1. A tool that is not in it could not be ranked. */
  readonly scores: ReadonlyMap<string, number>;
}

const MOST_AT_EACH_END = 2000;

/** People ask before what they paste, or after it: both ends of a long text count. */
export const gist = (query: string): string =>
  query.length <= 2 * MOST_AT_EACH_END ? query : `${query.slice(0, MOST_AT_EACH_END)} ${query.slice(-MOST_AT_EACH_END)}`;

const MOST_PARTS = 200;

/** What a tool's parameters are called, what they are said to be, and what may be chosen for them, as far as is worth reading. */
export function parameterWords(parameters: unknown): { readonly names: readonly string[]; readonly texts: readonly string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  const open: unknown[] = [parameters];
  for (let looked = 0; looked < open.length && looked < MOST_PARTS; looked++) {
    const schema = open[looked];
    if (typeof schema !== "object" || schema === null) continue;
    const { properties, items, description, enum: choices } = schema as Record<string, unknown>;
    if (typeof description === "string") texts.push(description.slice(0, MOST_TEXT));
    if (Array.isArray(choices)) texts.push(...choices.slice(0, MOST_PARTS).filter((one) => typeof one === "string" && one.length < 100));
    open.push(items);
    if (typeof properties !== "object" || properties === null) continue;
    for (const [name, inner] of Object.entries(properties).slice(0, MOST_PARTS)) {
      names.push(name);
      open.push(inner);
    }
  }
  return { names, texts };
}

const MOST_TEXT = 500;

/** Words of a name or a text: `getUserName`, `get_user-name` and "get user name" are the same three. */
export const rankingWords = (text: string): string[] =>
  text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

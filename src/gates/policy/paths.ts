import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { attempt } from "../../text/attempt.ts";
import { escapeGlob, type Matcher } from "../../text/glob.ts";
import { quickGlob } from "./glob.ts";
import { overlaps } from "./overlap.ts";
import { type CallPlace, fixedRoot, lastingFolder, type PlacesBelow, surveyed } from "./places.ts";

export interface Touched {
  /** All that it may touch; those that rules which allow have to cover come first. */
  readonly places: readonly CallPlace[];
  /** What it touches cannot all be told, or it is nothing. */
  readonly isOpen: boolean;
}

/** What rules about paths look at. */
export function touched(call: ToolCall, facts: Facts): Touched {
  const { places, isOpen } = surveyed(call, facts);
  return { places, isOpen: isOpen || !places.some(({ isSure }) => isSure) };
}

export interface PathGlob {
  readonly pattern: string;
  /** For a rule that forbids: it may be one of these. */
  finds(place: CallPlace): boolean;
  /** For a rule that allows: it is one of these, with everything that is touched below it. */
  covers(place: CallPlace): boolean;
}

/** A relative pattern begins in the workspace. In a rule that forbids it also speaks of any path that ends so, `*` alone of every path, and the name of a folder of all that lies in it. */
export function createPathGlob(pattern: string, facts: Facts): PathGlob {
  const isAbsolute = /^(\/|~(\/|$))/.test(pattern);
  const absolute = absoluteForms(pattern, facts, settledIn(facts));
  const globs = absolute.map((form) => quickGlob(form, "path"));
  const within = (path: string) => globs.some((matches) => matches(path));
  const forbidden = forbiddenBy(pattern);
  const strict = forbidden.flatMap((one) => absoluteForms(one, facts));
  const loose = isAbsolute ? [] : forbidden.map((one) => one.replace(/^\.\//, ""));
  const alone = [...[...strict, ...loose].map((form) => quickGlob(form, "path")), ...(pattern === "*" ? [() => true] : [])];
  const inside = [...[...strict, ...loose].map(withItsFolder), ...(pattern === "*" ? [() => true] : [])];
  const meant = { alone, inside };
  const text = quickGlob(pattern, "text");
  const asText = [text];
  const roots = strict.map((form) => lastingFolder(fixedRoot(form)));
  const floats = pattern.startsWith("**");
  const isOfAddresses = pattern.includes("://");
  /** A rule that forbids `**\/.env` does not mean every folder that may hold one, but does mean what a search shows. */
  const isLeftOut = facts.unreadable?.includes(pattern) ?? false;
  const liesBelow = (below: PlacesBelow): boolean => {
    if (below.isShown && isLeftOut) return false;
    if (floats) return below.isShown && below.isFolder();
    for (let n = 0; n < strict.length; n++)
      if ((roots[n]!.startsWith(below.path) || below.path.startsWith(roots[n]!)) && overlaps(below.spread, strict[n]!))
        return below.isFolder();
    return false;
  };
  return {
    pattern,
    finds: ({ flavour, forms, holds, spread, below }) =>
      forms === null
        ? !isOfAddresses
        : anyMatches(flavour === "path" ? meant[holds] : asText, forms) ||
          (spread !== undefined && strict.some((form) => overlaps(spread, form))) ||
          (below !== undefined && !isOfAddresses && liesBelow(below)),
    covers({ flavour, isSure, sure }) {
      if (!isSure) return true;
      const all = sure();
      return all.length > 0 && all.every((one) => (flavour === "path" ? within : text)(one.toLowerCase()));
    },
  };
}

/** Most rules speak of something else, and there are many of them: plain loops are what is quick. */
function anyMatches(matchers: readonly Matcher[], texts: readonly string[]): boolean {
  for (const matches of matchers) for (const text of texts) if (matches(text)) return true;
  return false;
}

/** A pattern of all that lies in a folder, for words that may name the folder. */
function withItsFolder(pattern: string): Matcher {
  const folder = /^(.+)\/\*\*?$/s.exec(pattern)?.[1];
  const all = quickGlob(pattern, "path");
  if (folder === undefined) return all;
  const start = /^[^*?[{\\]*/.exec(folder)![0].toLowerCase();
  const itself = quickGlob(folder, "path");
  return (path) => path.startsWith(start) && (all(path) || itself(path));
}

/** A folder that is forbidden is forbidden with all that lies in it. */
function forbiddenBy(pattern: string): string[] {
  const bare = pattern.replace(/\/+$/, "");
  if (bare === "" && pattern !== "") return ["/", "/**"];
  return /[*?[\]{}\\]/.test(bare.slice(bare.lastIndexOf("/") + 1)) ? [bare] : [bare, `${bare}/**`];
}

/** For a rule that allows: a link that a command could have made leads nowhere, or it would allow whatever it leads to. */
const settledIn =
  ({ settled, canonical }: Facts) =>
  (path: string): string | null =>
    settled ? settled(path) : canonical(path);

/** As it is written, and as it really lies: links among the folders before the first wildcard are followed. */
function absoluteForms(pattern: string, { cwd, home, canonical }: Facts, follow: (path: string) => string | null = canonical): string[] {
  const [base, rest] = pattern.startsWith("/")
    ? ["", pattern]
    : /^~(\/|$)/.test(pattern)
      ? [home, pattern.slice(1)]
      : [cwd, `/${pattern.replace(/^\.\//, "")}`];
  const root = base === "/" ? "" : base;
  const segments = rest.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const fixed = root + segments.slice(0, wild === -1 ? undefined : wild).join("/");
  const written = escapeGlob(root) + rest;
  const real = attempt(() => follow(fixed === "" ? "/" : fixed), null);
  if (real === null) return [written];
  return [...new Set([written, [real === "/" ? "" : escapeGlob(real), ...(wild === -1 ? [] : segments.slice(wild))].join("/")])];
}

import type { ToolCall } from "../core/call.ts";
import type { Facts } from "../core/facts.ts";
import { escapeGlob } from "../core/glob.ts";
import { display } from "../core/path.ts";
import type { PathTouch } from "../core/touch.ts";
import { quickGlob } from "./policy-glob.ts";
import { isAddress, namedInArguments, namedInCommand } from "./policy-named.ts";
import { overlaps } from "./policy-overlap.ts";
import { pathSubject, urlSubject } from "./rules.ts";

/** One path or address of a call, as rules about paths see it. */
export interface Place {
  readonly flavour: "path" | "text";
  readonly written: string;
  /** Every way to say what it is, in small letters: a rule that forbids takes any of them. */
  readonly forms: readonly string[];
  /** What it really is, and what lies below it if that is touched too: a rule that allows must cover them all. None: nothing covers it. */
  readonly sure: readonly string[];
  /** An absolute pattern of all it may be, when it is more than one path. */
  readonly spread?: string;
}

export interface Touched {
  readonly places: readonly Place[];
  /** Something about the command is only known at run time, so its places may not be all. */
  readonly isOpen: boolean;
}

/** What a call touches, and what its words and arguments name that nothing else is known about. */
export function touched(call: ToolCall, facts: Facts): Touched {
  const isCommand = call.touches.some(({ kind }) => kind === "command");
  const how = isCommand ? "command" : "tool";
  const places = call.touches.flatMap((touch): Place[] => {
    if (touch.kind === "path") return [pathPlace(touch, facts, how)];
    return touch.kind === "url" ? [urlPlace(touch.url)] : [];
  });
  const { names, isOpen } = isCommand ? namedInCommand(call) : namedInArguments(call);
  const known = new Set(places.map(({ written }) => written));
  const named = names
    .filter((name) => !known.has(name))
    .map((name) => (isAddress(name) ? urlPlace(name) : pathPlace({ kind: "path", access: "read", path: name }, facts, how)));
  return { places: [...places, ...named], isOpen };
}

export interface PathGlob {
  readonly pattern: string;
  /** For a rule that forbids: it may be one of these. */
  finds(place: Place): boolean;
  /** For a rule that allows: it is one of these, with everything that is touched below it. */
  covers(place: Place): boolean;
}

/** A relative pattern begins in the workspace. In a rule that forbids it also speaks of any path that ends so, and `*` alone of every path. */
export function pathGlob(pattern: string, facts: Facts): PathGlob {
  const isAbsolute = /^(\/|~(\/|$))/.test(pattern);
  const absolute = absoluteForms(pattern, facts);
  const globs = absolute.map((form) => quickGlob(form, "path"));
  const within = (path: string) => globs.some((matches) => matches(path));
  const loose = isAbsolute ? within : pattern === "*" ? () => true : quickGlob(pattern.replace(/^\.\//, ""), "path");
  const finds = { path: (path: string) => within(path) || loose(path), text: quickGlob(pattern, "text") };
  const floats = pattern.startsWith("**");
  return {
    pattern,
    finds: ({ flavour, forms, spread }) =>
      forms.some(finds[flavour]) ||
      // Whoever forbids `**/.env` does not mean every folder that may hold one.
      (spread !== undefined && !(floats && spread.endsWith("/**")) && absolute.some((form) => overlaps(spread, form))),
    covers: ({ flavour, sure }) => sure.length > 0 && sure.every((one) => (flavour === "path" ? within : finds.text)(one.toLowerCase())),
  };
}

/** As it is written, and as it really lies: links among the folders before the first wildcard are followed. */
function absoluteForms(pattern: string, { cwd, home, canonical }: Facts): string[] {
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
  try {
    const real = canonical(fixed === "" ? "/" : fixed);
    return [...new Set([written, [real === "/" ? "" : escapeGlob(real), ...(wild === -1 ? [] : segments.slice(wild))].join("/")])];
  } catch {
    return [written];
  }
}

/** Stand-ins for any name: a pattern that covers these covers all. */
const SOME = ["\u0001", "\u0001\u0001.\u0001"] as const;

function pathPlace(touch: PathTouch, facts: Facts, how: "command" | "tool"): Place {
  const { written, sure } = pathSubject(touch, facts);
  const real = sure[0]!;
  const isWild = how === "command" && /[*?[]/.test(written);
  // Somebody else's home: where it lies is not known.
  const isForeign = how === "command" && /^~[^/]/.test(written);
  const tree = touch.tree ? "/**" : "";
  const forms = [...new Set([written, real, display(real, facts.cwd)].map(lower))];
  const names = isWild ? SOME.map((some) => real.replace(/[^/]*\[[^/]*|[*?]+/g, some)) : [real];
  const below = touch.tree ? names.flatMap((name) => SOME.map((some) => `${name}/${some}/${some}`).concat(`${name}/${SOME[0]}`)) : [];
  return {
    flavour: "path",
    written,
    forms: tree ? [...forms, ...forms.map((form) => form + tree)] : forms,
    sure: isForeign ? [] : [...names, ...below],
    ...((isWild || touch.tree) && { spread: `${isWild ? real : escapeGlob(real)}${tree}` }),
  };
}

function urlPlace(url: string): Place {
  const { written, sure } = urlSubject(url);
  return { flavour: "text", written, forms: [written, ...sure].map(lower), sure };
}

const lower = (text: string) => text.toLowerCase();

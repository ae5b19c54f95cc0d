import type { ToolCall } from "../core/call.ts";
import type { Facts } from "../core/facts.ts";
import { compileGlob, escapeGlob } from "../core/glob.ts";
import { display } from "../core/path.ts";
import type { CommandTouch, PathTouch } from "../core/touch.ts";
import { overlaps } from "./policy-overlap.ts";
import { compileRules, pathSubject, urlSubject } from "./rules.ts";

/** One path or address of a call, as rules about paths see it. */
export interface Place {
  readonly flavour: "path" | "text";
  readonly written: string;
  /** Every way to say what it is: a rule that forbids takes any of them. */
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

/** What a call touches. Of a command also the words that are paths to be seen, whatever its program does with them. */
export function touched(call: ToolCall, facts: Facts): Touched {
  const commands = call.touches.filter((touch) => touch.kind === "command");
  const how = commands.length > 0 ? "command" : "tool";
  const places = call.touches.flatMap((touch): Place[] => {
    if (touch.kind === "path") return [pathPlace(touch, facts, how)];
    return touch.kind === "url" ? [urlPlace(touch.url)] : [];
  });
  const words = commands.flatMap(pathWords).map((path) => pathPlace({ kind: "path", access: "read", path }, facts, how));
  const isOpen = call.touches.some((touch) => touch.kind === "unknown") || commands.some(({ argv }) => argv.includes(null));
  return { places: [...places, ...words], isOpen };
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
  const { matches } = compileRules([{ pattern, action: "deny" }], facts)[0]!;
  const folder = facts.cwd === "/" ? "" : escapeGlob(facts.cwd);
  const anchored = isAbsolute ? pattern.replace(/^~/, escapeGlob(facts.home)) : `${folder}/${pattern.replace(/^\.\//, "")}`;
  const within = isAbsolute ? matches.path : compileGlob(anchored, { flavour: "path", letters: "any case" });
  const floats = pattern.startsWith("**");
  return {
    pattern,
    finds: ({ flavour, forms, spread }) =>
      forms.some((form) => matches[flavour](form) || (flavour === "path" && within(form))) ||
      // Whoever forbids `**/.env` does not mean every folder that may hold one.
      (spread !== undefined && overlaps(spread, anchored) && !(floats && spread.endsWith("/**"))),
    covers: ({ flavour, sure }) => sure.length > 0 && sure.every(flavour === "path" ? within : matches.text),
  };
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
  const names = isWild ? SOME.map((some) => real.replace(/[^/]*\[[^/]*|[*?]+/g, some)) : [real];
  const below = touch.tree ? names.flatMap((name) => SOME.map((some) => `${name}/${some}/${some}`).concat(`${name}/${SOME[0]}`)) : [];
  return {
    flavour: "path",
    written,
    forms: [written, real, display(real, facts.cwd), ...(tree && [`${written}/**`, `${real}/**`, `${display(real, facts.cwd)}/**`])],
    sure: isForeign ? [] : [...names, ...below],
    ...((isWild || touch.tree) && { spread: `${isWild ? real : escapeGlob(real)}${tree}` }),
  };
}

function urlPlace(url: string): Place {
  const { written, sure } = urlSubject(url);
  return { flavour: "text", written, forms: [written, ...sure], sure };
}

/** `/etc/x`, `~/x`, `../x`, `./x`, also behind `--file=`. */
const pathWords = ({ argv }: CommandTouch): string[] =>
  argv.flatMap((word) => {
    const path = word?.replace(/^-[^=]*=/, "");
    return path !== undefined && /^(\/|~(\/|$)|\.\.?(\/|$))/.test(path) && !/^\/\//.test(path) ? [path] : [];
  });

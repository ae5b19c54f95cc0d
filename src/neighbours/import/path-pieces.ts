import { escapeGlob, globProblem } from "../../text/glob.ts";
import type { RuleAction } from "../rules/client-rule.ts";
import type { PathPattern } from "../rules/path-pattern.ts";
import { ALLOWS_ALL } from "./command-pieces.ts";
import { ALL_CHANGING_TOOLS, CHANGING_TOOLS, READING_TOOLS } from "./own-tools.ts";
import type { Piece } from "./piece.ts";

/** What paths of a source file begin at, in our patterns. */
export interface PathAnchors {
  /** Put in front of what begins where the agent works: empty where that is where Zeph works, too. */
  readonly workspace: string;
  /** The same for what begins at the settings. */
  readonly settings: string;
}

/** Who may change which files. A denial holds for everything that changes one, and for the commands that write it. */
export function changePieces(pattern: PathPattern | null, action: RuleAction, anchors: PathAnchors): readonly Piece[] | string {
  if (pattern === null && action === "allow") return ALLOWS_ALL;
  const globs = pattern === null ? ["*"] : pathGlobs(pattern, action, anchors);
  if (typeof globs === "string") return globs;
  const tools = action === "deny" ? ALL_CHANGING_TOOLS : CHANGING_TOOLS;
  return tools.flatMap((tool) => globs.map((glob): Piece => ({ kind: "rule", tool, pattern: glob, action })));
}

/** Which files may be read. `ruled` where something else forbids or asks about every read. */
export function readPieces(
  pattern: PathPattern | null,
  action: RuleAction,
  anchors: PathAnchors,
  ruled: boolean,
): readonly Piece[] | string {
  if (pattern === null) {
    if (action === "allow") return [];
    return READING_TOOLS.map((tool): Piece => ({ kind: "rule", tool, pattern: "*", action }));
  }
  if (action === "allow" && (pattern.root === "home" || pattern.root === "absolute"))
    return "files outside of the workspace are opened with tools.file.allowed_paths, and for writing as well";
  if (action === "allow" && !ruled) return [];
  const globs = pathGlobs(pattern, action, anchors);
  if (typeof globs === "string") return globs;
  // A name of a folder means everything in it there.
  const whole = globs.filter((glob) => !globs.some((other) => glob === `${other}/**`));
  if (action === "deny") return whole.map((value): Piece => ({ kind: "value", list: "tools.file.deny_read", value }));
  return globs.map((glob): Piece => ({ kind: "rule", tool: "read", pattern: glob, action }));
}

function pathGlobs({ root, glob, style }: PathPattern, action: RuleAction, anchors: PathAnchors): readonly string[] | string {
  const lead = root === "home" ? "~/" : root === "absolute" ? "/" : anchors[root];
  const found = style === "ignore" ? ignoreGlobs(glob, action, root) : [wildcardPath(glob, action)];
  const made = (action === "allow" && lead === "" ? found.flatMap(onlyBelow) : found).map((one) => `${lead}${one}`);
  const good = made.filter((one) => globProblem(one) === null);
  if (good.length > 0 && (action !== "allow" || good.length === made.length)) return [...new Set(good)];
  // A bracket that is never closed names itself.
  return action === "allow" ? "its pattern cannot be read" : [`${lead}${escapeGlob(glob.replace(/^\.\//, ""))}`];
}

/** As .gitignore means it: without a slash at any depth, and a folder with all that is in it. What allows takes the narrower reading. */
function ignoreGlobs(glob: string, action: RuleAction, root: PathPattern["root"]): readonly string[] {
  const written = glob.replace(/^\.\//, "");
  const bare = written.replace(/\/+$/, "");
  const isFolder = bare !== written;
  const isAnywhere = root === "workspace" && !bare.includes("/") && (action !== "allow" || written === glob);
  const place = isAnywhere && bare !== "**" ? `**/${bare}` : bare;
  // Braces are nothing special to others. What forbids is taken both ways.
  const forms = action === "allow" ? [plainBraces(place)] : [place, plainBraces(place)];
  if (action === "allow") return forms.map((one) => (isFolder ? `${one}/**` : one));
  return forms.flatMap((one) => (one.endsWith("**") ? [one] : [one, `${one}/**`]));
}

/** A pattern that begins with a star also fits whole paths, which lie elsewhere. What allows must not. */
function onlyBelow(glob: string): readonly string[] {
  if (glob.startsWith("**/")) return [...onlyBelow(glob.slice(3)), `[!/]**/${glob.slice(3)}`];
  return [glob.replace(/^\*+/, (stars) => `[!/]${stars}`)];
}

const plainBraces = (glob: string): string => glob.replace(/[{},]/g, "\\$&");

/** `*` goes over slashes where this comes from. What allows stops at them. */
function wildcardPath(glob: string, action: RuleAction): string {
  const plain = glob.replace(/[{},[\]!\\]/g, "\\$&");
  return action === "allow" ? plain.replace(/\*+/g, "*") : plain.replace(/\*+/g, "**");
}

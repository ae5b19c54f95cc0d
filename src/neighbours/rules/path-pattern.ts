import { compileGlob, globProblem } from "../../text/glob.ts";

/** How a rule of another agent names files. */
export interface PathPattern {
  /** Where the pattern begins: the folder that is worked in, the folder of the settings, home, or the root of the disk. */
  readonly root: "workspace" | "settings" | "home" | "absolute";
  /** Without what names the root. */
  readonly glob: string;
  /** `ignore`: as in .gitignore. `wildcard`: `*` also matches slashes, and nothing else but `?` is special. */
  readonly style: "ignore" | "wildcard";
}

/** `//p` is absolute, `/p` begins at the settings, `~/p` at home; anything else where the agent works. */
export function readPathPattern(written: string): PathPattern {
  if (written.startsWith("//")) return { root: "absolute", glob: written.slice(2), style: "ignore" };
  if (written.startsWith("~/")) return { root: "home", glob: written.slice(2), style: "ignore" };
  if (written.startsWith("/")) return { root: "settings", glob: written.slice(1), style: "ignore" };
  return { root: "workspace", glob: written, style: "ignore" };
}

/** The folders that the roots of patterns stand for. */
export interface PathRoots {
  readonly workspace: string;
  readonly settings: string;
  readonly home: string;
}

/** Whether a whole path is one that the pattern names. A pattern that is none matches nothing. */
export function matchesPath(pattern: PathPattern, path: string, roots: PathRoots): boolean {
  const root = pattern.root === "absolute" ? "" : roots[pattern.root];
  if (!path.startsWith(`${root}/`)) return false;
  const below = path.slice(root.length + 1);
  if (pattern.style === "wildcard")
    return fits(ignoreText(pattern.glob, "wildcard"), below) || fits(ignoreText(pattern.glob, "wildcard"), path);
  const glob = pattern.glob.replace(/^\.\//, "");
  const bare = glob.replace(/\/+$/, "");
  // Without a slash it is found at any depth below the folder that is worked in; and what names a folder means all that is in it.
  const anywhere = pattern.root === "workspace" && glob === pattern.glob && !bare.includes("/") ? `**/${bare}` : bare;
  return [anywhere, `${anywhere}/**`].some((one) => fits(ignoreText(one, "ignore"), below));
}

const fits = (glob: string, path: string): boolean =>
  globProblem(glob) === null && compileGlob(glob, { flavour: "path", letters: "exact" })(path);

/** As our own globs are written: braces and commas are nothing special to others. */
function ignoreText(glob: string, style: PathPattern["style"]): string {
  if (style === "ignore") return glob.replace(/[{},]/g, "\\$&");
  return glob.replace(/[{},[\]!\\]/g, "\\$&").replace(/\*+/g, "**");
}

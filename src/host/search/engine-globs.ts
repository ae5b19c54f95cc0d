import { attempt } from "../../text/attempt.ts";
import { compileGlob, expandBraces } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";

/**
 * A glob as ripgrep reads it: `!` leaves out, a glob without a slash matches at any depth, and one with a slash begins at the top. The engine runs
 * in the folder that is searched; somebody who writes a glob may begin at the workspace or at that folder, so both are given to it.
 */
export function engineGlobs(glob: string, root: string, workspace: string): string[] {
  const not = glob.startsWith("!") ? "!" : "";
  const body = plainGlob(glob.slice(not.length), not !== "", root, workspace);
  const below = root !== workspace && isWithin(workspace, root) ? root.slice(workspace === "/" ? 1 : workspace.length + 1) : "";
  const isAnchored = body.replace(/\/$/, "").includes("/");
  const also = below === "" || !isAnchored ? [] : attempt(() => restsBelow(body, below.split("/")), []);
  return [...new Set([body, ...also])].map((one) => `${not}${one}`);
}

/** More than ripgrep reads: a path from the file system's root, `./a`, and a folder's name with a slash for everything in it. */
function plainGlob(body: string, isNot: boolean, root: string, workspace: string): string {
  const top = [root, workspace].find((folder) => folder !== "/" && body.startsWith(`${folder}/`));
  const relative = top === undefined ? body.replace(/^(?:\.\/)+/, "") : body.slice(top.length);
  return relative.endsWith("/") && !isNot ? `${relative}**` : relative;
}

/** What is left of a glob behind these folders, as often as they can be matched. Each begins at the last of them. */
function restsBelow(glob: string, folders: readonly string[]): string[] {
  return expandBraces(glob).flatMap((branch) => {
    const segments = branch.replace(/^\//, "").split("/");
    let at = withSkipped(segments, [0]);
    for (const folder of folders)
      at = withSkipped(
        segments,
        at.flatMap((n) => (segments[n] === "**" ? [n] : isMatch(segments[n], folder) ? [n + 1] : [])),
      );
    return at.flatMap((n) => (segments.slice(n).join("") === "" ? [] : [`/${segments.slice(n).join("/")}`]));
  });
}

/** `**` may stand for no folder. */
function withSkipped(segments: readonly string[], at: readonly number[]): number[] {
  const all = new Set<number>();
  for (const start of at) for (let n = start; !all.has(n); n++) if (all.add(n) && segments[n] !== "**") break;
  return [...all];
}

const isMatch = (segment: string | undefined, name: string): boolean =>
  segment !== undefined && compileGlob(segment, { flavour: "path", letters: "exact" })(name);

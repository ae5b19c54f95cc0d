import type { PathLooks, ProtectedFile } from "../../core/ports/facts.ts";
import { isGitPart, type ProtectedPart, protectedPart } from "../../core/protected.ts";
import type { PathTouch } from "../../core/touch.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import type { PathRules } from "../files/paths.ts";
import { childPath, finishInTurns, readFolder, type Steps } from "./folders.ts";
import { isGitFolder, sweepProtected } from "./sweep.ts";

/** More than this are not looked at one by one: then the folder itself is asked about. */
const MOST_ENTRIES = 20_000;

/** The protected files that a file tool would make, change or remove: by name, through a link, by another name of the file, inside a folder. */
export const createProtectedChanges =
  (rules: PathRules) =>
  async (touches: readonly PathTouch[], looks: PathLooks = rules): Promise<readonly ProtectedFile[]> => {
    const found = new Map<string, ProtectedPart>();
    const note = (path: string, part: ProtectedPart | null) => part !== null && found.set(path, part);
    const sources = touches.filter(({ tree, access }) => tree && access !== "write").map(({ path }) => resolved(looks.entry, path));
    for (const touch of touches) {
      if (touch.access === "read") continue;
      for (const path of targetsOf(looks, touch)) {
        note(path, partOf(rules, path));
        note(path, await partOfTwin(rules, path));
        if (touch.access === "delete") for (const [inner, part] of await inside(rules, path, path)) note(inner, part);
        // What is copied or moved is as protected as its new place makes it.
        else
          for (const source of sources)
            if (source !== null) for (const [inner, part] of await inside(rules, source, path)) note(inner, part);
      }
    }
    return [...found].map(([path, part]) => ({ path, part }));
  };

function targetsOf({ canonical, entry }: PathLooks, { access, path }: PathTouch): string[] {
  const ways = access === "delete" ? [entry] : [canonical, entry];
  return [...new Set(ways.flatMap((way) => resolved(way, path) ?? []))];
}

// It cannot be opened either, and the host says why.
const resolved = (way: (path: string) => string, path: string): string | null => attempt(() => way(path), null);

/** Names above the folder somebody works in say nothing about what is in it. */
function partOf(rules: PathRules, path: string): ProtectedPart | null {
  const root = rootOf(rules, path);
  return protectedPart(root === undefined ? path : path.slice(root.length)) ?? (isPartOfBare(path, root) ? "frozen" : null);
}

const rootOf = ({ roots }: PathRules, path: string): string | undefined =>
  roots.filter((root) => root !== "/" && isWithin(root, path)).sort((a, b) => b.length - a.length)[0];

/** Settings or hooks of a repository that is not called `.git`; or the name that would make a folder one. */
function isPartOfBare(path: string, root = "/"): boolean {
  for (let folder = parentOf(path); folder !== root && folder.length > 1 && isWithin(root, folder); folder = parentOf(folder)) {
    const read = readFolder(folder);
    if (read === null || read === "shut") continue;
    const inside = path.slice(folder.length + 1).split("/");
    if (isGitFolder(read.entries)) return isGitPart(inside.map((name) => name.toLowerCase()));
    if (inside.length === 1 && isGitFolder([...read.entries, { name: inside[0]!, kind: "file" }])) return true;
  }
  return false;
}

/** A file with several names may be a protected one under another of them. */
async function partOfTwin(rules: PathRules, path: string): Promise<ProtectedPart | null> {
  const stats = statEntry(path);
  if (!stats?.isFile() || stats.nlink < 2) return null;
  const { spots, gits, bare, isComplete } = await finishInTurns(sweepProtected(rules.roots));
  const isIt = (other: string) => {
    const one = statEntry(other);
    return one?.ino === stats.ino && one.dev === stats.dev;
  };
  for (const { path: spot, part } of spots) for (const file of filesBelow(spot)) if (isIt(file)) return part;
  for (const folder of [...gits, ...bare])
    for (const name of ["config", "config.worktree", "hooks"])
      for (const file of filesBelow(childPath(folder, name))) if (isIt(file)) return "frozen";
  return isComplete ? null : "frozen";
}

function filesBelow(path: string): string[] {
  const folder = readFolder(path);
  if (folder === null || folder === "shut") return [path];
  return folder.entries.flatMap(({ name, kind }) => (kind === "folder" ? filesBelow(childPath(path, name)) : [childPath(path, name)]));
}

/** What lies in a folder and is protected where it is, or where it would come to lie. */
const inside = (rules: PathRules, source: string, place: string) => finishInTurns(insideSteps(rules, source, place));

function* insideSteps(rules: PathRules, source: string, place: string): Steps<[string, ProtectedPart][]> {
  const found: [string, ProtectedPart][] = [];
  const open = [{ from: source, to: place }];
  let seen = 0;
  for (; open.length > 0; ) {
    const { from, to } = open.pop()!;
    const folder = readFolder(from);
    if (folder === null) continue;
    if (folder === "shut" || seen > MOST_ENTRIES) return [[place, "frozen"], ...found];
    // A repository brings its hooks and settings along.
    if (nameOf(from) !== ".git" && isGitFolder(folder.entries)) found.push([to, "frozen"]);
    for (const { name, kind } of folder.entries) {
      if (++seen % 512 === 511) yield;
      const part = partByName(rules, childPath(to, name));
      if (part !== null) found.push([childPath(to, name), part]);
      else if (kind === "folder") open.push({ from: childPath(from, name), to: childPath(to, name) });
    }
  }
  return found;
}

/** By its name alone, seen from the folder somebody works in. */
export function partByName(rules: PathRules, path: string): ProtectedPart | null {
  const root = rootOf(rules, path);
  return protectedPart(root === undefined ? path : path.slice(root.length));
}

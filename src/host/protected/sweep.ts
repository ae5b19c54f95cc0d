import { type ProtectedPart, protectedEntry } from "../../core/protected.ts";
import { childPath, type FolderEntry, type ListedFolder, readFolder, type Steps } from "./folders.ts";

/** A file or folder of the list in `core/protected.ts`, where it lies. */
export interface ProtectedSpot {
  readonly path: string;
  readonly part: ProtectedPart;
  readonly kind: FolderEntry["kind"];
}

/** Everything of a workspace that something outside the walls runs or obeys. */
export interface Sweep {
  /** Frozen and watched files and folders, in every folder. What lies inside such a folder is not listed. */
  readonly spots: readonly ProtectedSpot[];
  /** Each `.git`: a folder, a file that names one, or a link. */
  readonly gits: readonly string[];
  /** Folders that are a repository without being called `.git`. */
  readonly bare: readonly string[];
  /** Folders that could not be looked into. */
  readonly shut: readonly string[];
  /** False when there are more folders than are looked into. */
  readonly isComplete: boolean;
}

/** Beyond this a look at each folder takes longer than most commands. */
export const MOST_SWEPT_FOLDERS = 20_000;
/** Installed packages: nobody opens an editor or a shell in there, and installing replaces them. */
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"]);

/** Every folder below the roots; no link is followed. */
export function* sweepProtected(roots: readonly string[]): Steps<Sweep> {
  const found = { spots: [] as ProtectedSpot[], gits: [] as string[], bare: [] as string[], shut: [] as string[] };
  const open = roots.map((root) => ({ path: root, segments: root.split("/") }));
  let seen = 0;
  for (; open.length > 0 && seen < MOST_SWEPT_FOLDERS; seen++) {
    if (seen % 64 === 63) yield;
    const { path, segments } = open.pop()!;
    const folder = readFolder(path);
    if (folder === "shut") found.shut.push(path);
    if (folder === null || folder === "shut") continue;
    const { spots, hasGit, isBare, folders } = folder.derived(sweepProtected, (one) => lookThrough(one, segments));
    found.spots.push(...spots);
    if (hasGit) found.gits.push(childPath(path, ".git"));
    if (isBare) found.bare.push(path);
    if (!isBare || roots.includes(path))
      for (const name of folders) open.push({ path: childPath(path, name), segments: [...segments, name] });
  }
  return { ...found, isComplete: open.length === 0 };
}

interface Looked {
  readonly spots: readonly ProtectedSpot[];
  readonly hasGit: boolean;
  readonly isBare: boolean;
  readonly folders: readonly string[];
}

function lookThrough({ path, entries }: ListedFolder, segments: readonly string[]): Looked {
  const spots: ProtectedSpot[] = [];
  const folders: string[] = [];
  let hasGit = false;
  for (const { name, kind } of entries) {
    const part = protectedEntry(segments, name);
    if (name === ".git") hasGit = true;
    else if (part !== null) spots.push({ path: childPath(path, name), part, kind });
    else if (kind === "folder" && !INSTALLED.has(name)) folders.push(name);
  }
  return { spots, hasGit, isBare: isGitFolder(entries), folders };
}

/** As git itself tells one. */
export const isGitFolder = (entries: readonly FolderEntry[]): boolean =>
  ["HEAD", "objects", "refs"].every((wanted) => entries.some(({ name }) => name === wanted)) ||
  ["HEAD", "commondir"].every((wanted) => entries.some(({ name }) => name === wanted));

import { entryIdentity, statEntry } from "../../files/stat.ts";
import { childPath, type ListedFolder, readFolder, type Steps } from "./folders.ts";

/** A look at every file of a workspace, for the rare case that one has several names. */
const MOST_FOLDERS = 50_000;

export interface HardLinks {
  readonly paths: readonly string[];
  /** False when there are more folders than are looked into. */
  readonly isComplete: boolean;
}

/** Other names, below the roots, of files that have more than one. What is a mount at one name is an ordinary file at the other. */
export function* findHardLinks(files: readonly string[], roots: readonly string[]): Steps<HardLinks> {
  const wanted = new Set<string>();
  for (const file of files) for (const one of filesIn(file)) if (one.names > 1) wanted.add(one.identity);
  if (wanted.size === 0) return { paths: [], isComplete: true };
  const own = new Set(files);
  const paths: string[] = [];
  const open = [...roots];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen >= MOST_FOLDERS) return { paths, isComplete: false };
    if (seen % 16 === 15) yield;
    const folder = readFolder(open.pop()!);
    if (folder === null || folder === "shut") continue;
    // Which file a name means cannot change without the folder changing.
    for (const [identity, path] of folder.derived(findHardLinks, identitiesIn))
      if (wanted.has(identity) && !own.has(path)) paths.push(path);
    for (const { name, kind } of folder.entries) if (kind === "folder") open.push(childPath(folder.path, name));
  }
  return { paths, isComplete: true };
}

const identitiesIn = ({ path, entries }: ListedFolder): (readonly [string, string])[] =>
  entries.flatMap(({ name, kind }) => {
    const stats = kind === "file" ? statEntry(childPath(path, name)) : null;
    return stats ? [[entryIdentity(stats), childPath(path, name)] as const] : [];
  });

const MOST_INSIDE = 2000;

/** The file, or the files of the folder. */
function filesIn(path: string): { readonly identity: string; readonly names: number }[] {
  const found: { identity: string; names: number }[] = [];
  const open = [path];
  for (let seen = 0; open.length > 0 && seen < MOST_INSIDE; seen++) {
    const next = open.pop()!;
    const stats = statEntry(next);
    if (stats?.isFile()) found.push({ identity: entryIdentity(stats), names: stats.nlink });
    if (!stats?.isDirectory()) continue;
    const folder = readFolder(next);
    if (folder !== null && folder !== "shut") open.push(...folder.entries.map(({ name }) => childPath(next, name)));
  }
  return found;
}

import { readlinkSync, realpathSync, statSync } from "node:fs";
import { type EntryKind, entryKind, statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { parentOf } from "../../text/path.ts";
import { finish } from "../protected/folders.ts";
import { findHardLinks, type HardLinks } from "../protected/hard-links.ts";
import { findHidden, type HiddenFiles, type HiddenGlob } from "../protected/hidden-files.ts";
import { type Sweep, sweepProtected } from "../protected/sweep.ts";

/** What the walls need to know of the file system. A folder that may not be entered is like a path that is not there. Golden tests hand in one of their own. */
export interface Disk {
  /** A link counts, wherever it leads. */
  kind(path: string): EntryKind | null;
  link(path: string): string;
  /** Every link followed; null when it leads nowhere. */
  real(path: string): string | null;
  /** Follows links. */
  isFolder(path: string): boolean;
  /** Who owns an entry and who may enter it; null where nobody can tell. */
  rights(path: string): Rights | null;
  /** What something outside the walls runs or obeys, anywhere below these folders. */
  sweep(roots: readonly string[]): Sweep;
  /** What these globs match below the roots. */
  hidden(globs: readonly HiddenGlob[], roots: readonly string[], besides: readonly string[]): HiddenFiles;
  /** Other names of these files below the roots. */
  twins(files: readonly string[], roots: readonly string[]): HardLinks;
}

export interface Rights {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

export const realDisk: Disk = {
  kind: (path) => {
    const stats = statEntry(path);
    return stats && entryKind(stats);
  },
  link: (path) => readlinkSync(path),
  real: (path) => attempt(() => realpathSync.native(path), null),
  isFolder: (path) => attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false),
  rights: statEntry,
  sweep: (roots) => finish(sweepProtected(roots)),
  hidden: (globs, roots, besides) => finish(findHidden(globs, roots, besides)),
  twins: (files, roots) => finish(findHardLinks(files, roots)),
};

/** A path whose last name can be looked at by itself. */
const PLAIN = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/**
 * A disk that looks at a path once. One policy asks for the same folders dozens of times, and must not see them in two states. What is no link
 * lies where its folder lies: that costs one look instead of one for every folder above it.
 */
export function createSnapshot(disk: Disk): Disk {
  const kind = onceEach(disk.kind);
  const real: Disk["real"] = onceEach((path) => {
    if (!PLAIN.test(path)) return disk.real(path);
    const found = kind(path);
    if (found === null) return null;
    if (found === "link") return disk.real(path);
    const parent = real(parentOf(path));
    return parent && `${parent === "/" ? "" : parent}${path.slice(path.lastIndexOf("/"))}`;
  });
  return { ...disk, kind, real, isFolder: onceEach(disk.isFolder), rights: onceEach(disk.rights) };
}

function onceEach<T>(look: (path: string) => T): (path: string) => T {
  const seen = new Map<string, T>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined || seen.has(path)) return known as T;
    const found = look(path);
    seen.set(path, found);
    return found;
  };
}

import { readlinkSync, realpathSync, statSync } from "node:fs";
import { type EntryKind, entryKind, statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
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
